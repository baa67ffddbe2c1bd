import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ChromaServer, ChromaVectorStore } from '@kettle/vector-store-chroma';
import { vectorStoreContract } from '@kettle/vector-store-contract';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { chroma } from './support/chroma-command.js';

describe.skipIf(!chroma.available)('the contract, on a real server', () => {
  let directory: string;
  let server: ChromaServer;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kettle-chroma-'));
    server = await ChromaServer.start({ directory, command: chroma.command });
  });
  afterAll(async () => {
    await server?.close();
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  });

  vectorStoreContract(
    test,
    {
      open: async (place, fingerprint) =>
        ChromaVectorStore.open({
          server: await server.url({ signal: AbortSignal.timeout(10_000) }),
          fingerprint,
          corpusId: place,
          collection: place,
        }),
    },
    { capabilities: { exact: false, persistent: true, shared: true } },
  );
});
