import { VectorStoreError } from '@kettle/vector-store';
import { KeptVectorStore } from '../kept-vector-store.js';
import type { BrokenStore } from './broken-store.js';

/** Stores that break a promise about what outlives them. */
export const persistenceFaults: readonly BrokenStore[] = [
  {
    fault: 'persists nothing',
    caughtBy: 'opens again with what was persisted',
    open: async (_, fingerprint) => new KeptVectorStore(fingerprint, () => {}),
  },
  {
    fault: 'persists only what the first call persisted',
    caughtBy: 'goes on from where it was',
    open: (place, fingerprint) =>
      KeptVectorStore.open(place, fingerprint, (contents, records) => {
        if (!contents.has(place)) contents.set(place, { fingerprint, records });
      }),
  },
  {
    fault: 'keeps everything in one place',
    caughtBy: 'keeps places apart',
    open: (_, fingerprint) => KeptVectorStore.open('the only place', fingerprint),
  },
  {
    fault: 'persists additions, not deletions',
    caughtBy: 'opens again with what was persisted',
    open: (place, fingerprint) =>
      KeptVectorStore.open(place, fingerprint, (contents, records) => {
        const before = contents.get(place)?.records ?? new Map();
        contents.set(place, {
          fingerprint,
          records: new Map([...KeptVectorStore.everAdded(place), ...before, ...records]),
        });
      }),
  },
  {
    fault: 'opens stored data for any model',
    caughtBy: 'refuses stored data of another model',
    open: (place, fingerprint) => KeptVectorStore.open(place, fingerprint, undefined, () => {}),
  },
  {
    fault: 'throws stored data of another model away',
    caughtBy: 'refuses stored data of another model',
    open: (place, fingerprint) =>
      KeptVectorStore.open(place, fingerprint, undefined, (contents) => {
        contents.delete(place);
        throw new VectorStoreError('fingerprint_mismatch', place);
      }),
  },
];
