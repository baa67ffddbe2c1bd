import { vectorStoreContract } from '@kettle/vector-store-contract';
import { test } from 'vitest';
import { KeptVectorStore } from './kept-vector-store.js';

vectorStoreContract(
  test,
  { open: (place, fingerprint) => KeptVectorStore.open(place, fingerprint) },
  { capabilities: { exact: true, persistent: true, shared: false } },
);
