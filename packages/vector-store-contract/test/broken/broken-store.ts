import type { ExactVectorStore, Fingerprint, VectorStore } from '@kettle/vector-store';

/** A store that breaks one promise: what it does, and a case that must notice. */
export interface BrokenStore {
  readonly fault: string;
  /** Start of the name of a case that has to fail, so that the fault is caught for the right reason. */
  readonly caughtBy: string;
  open(place: string, fingerprint: Fingerprint): Promise<VectorStore>;
}

export type Constructor = new (fingerprint: Fingerprint) => ExactVectorStore;

export function volatile(fault: string, caughtBy: string, Store: Constructor): BrokenStore {
  return { fault, caughtBy, open: async (_, fingerprint) => new Store(fingerprint) };
}
