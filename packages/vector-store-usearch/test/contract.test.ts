import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vectorStoreContract } from '@kettle/vector-store-contract';
import { UsearchVectorStore } from '@kettle/vector-store-usearch';
import { afterAll, test } from 'vitest';

const root = await mkdtemp(join(tmpdir(), 'kettle-usearch-'));
afterAll(() => rm(root, { recursive: true }));

vectorStoreContract(
  test,
  {
    open: (place, fingerprint) => UsearchVectorStore.open({ directory: join(root, place), fingerprint }),
  },
  { capabilities: { exact: false, persistent: true, shared: false } },
);
