import { basename, dirname } from 'node:path';
import { findBackend } from '@kettle/server/backends';
import type { Fingerprint, VectorStore } from '@kettle/vector-store';

/** The name of the corpus for a store of its own in `directory`: on a server that is shared it must be the only one. */
export function corpusIdOf(directory: string): string {
  return `benchmark-${basename(dirname(directory))}-${basename(directory)}`;
}

export interface StoreOptions {
  readonly backend: string;
  readonly fingerprint: Fingerprint;
  readonly directory: string;
  readonly corpusId: string;
  readonly tuning?: Readonly<Record<string, number>>;
  readonly signal?: AbortSignal;
}

/** Opens a backend of the registry, with the settings that the server would take from the environment. */
export function openStore({ backend, ...context }: StoreOptions): Promise<VectorStore> {
  const entry = findBackend(backend);
  if (!entry) throw new RangeError(`the registry has no backend "${backend}"`);
  return entry.open({ ...context, settings: backendSettings(), log: () => {} });
}

/** The part of the environment that backends need here: how to start a private Chroma server, or where one is. */
function backendSettings() {
  const { CHROMA_URL, CHROMA_API_KEY, CHROMA_TENANT, CHROMA_DATABASE, CHROMA_COMMAND } = process.env;
  return {
    chroma: {
      ...(CHROMA_URL && { url: CHROMA_URL }),
      ...(CHROMA_API_KEY && { apiKey: CHROMA_API_KEY }),
      ...(CHROMA_TENANT && { tenant: CHROMA_TENANT }),
      ...(CHROMA_DATABASE && { database: CHROMA_DATABASE }),
      ...(CHROMA_COMMAND && { command: CHROMA_COMMAND }),
    },
  };
}

/** Empties a store on somebody's own server, as well as that can be done. Elsewhere its folder is all there is of it. */
export async function forget(store: VectorStore): Promise<void> {
  if (store.capabilities.shared && backendSettings().chroma.url) await store.clear().catch(() => {});
}
