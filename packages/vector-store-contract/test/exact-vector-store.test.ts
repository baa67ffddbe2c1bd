import { ExactVectorStore } from '@kettle/vector-store';
import { vectorStoreContract } from '@kettle/vector-store-contract';
import { test } from 'vitest';

vectorStoreContract(
  test,
  { open: async (_place, fingerprint) => new ExactVectorStore(fingerprint) },
  { capabilities: { exact: true, persistent: false, shared: false } },
);
