import type { ChromaVectorStoreOptions } from './chroma-options.js';
import { ChromaVectorStore } from './chroma-vector-store.js';
import { ChromaServer, type ChromaServerOptions } from './server/chroma-server.js';

export interface OpenChromaOptions
  extends Omit<ChromaVectorStoreOptions, 'server'>,
    Pick<ChromaServerOptions, 'directory' | 'command' | 'startDeadline'> {
  /** An outside server. @default a private one with its data in `directory` */
  readonly url?: string | undefined;
}

/**
 * A store on the server at `url`, or on a private one that ends with its last user.
 *
 * @throws {VectorStoreError} what {@link ChromaServer.start} and {@link ChromaVectorStore.open} reject with.
 */
export async function openChroma(options: OpenChromaOptions): Promise<ChromaVectorStore> {
  const { url, directory, command, startDeadline, ...store } = options;
  const server =
    url ?? (await ChromaServer.start({ directory, command, startDeadline, signal: options.signal }));
  return ChromaVectorStore.open({ ...store, server });
}
