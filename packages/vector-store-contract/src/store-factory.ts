import type { Fingerprint, VectorStore } from '@kettle/vector-store';

/** How the suite makes stores. */
export interface StoreFactory {
  /**
   * Opens the store kept at `place`, empty if there was none. The suite makes places up (letters, digits and
   * dashes) and closes what it opened; opening a place again after closing must find what was persisted there.
   */
  open(place: string, fingerprint: Fingerprint): Promise<VectorStore>;
}
