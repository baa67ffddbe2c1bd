import {
  type GraphOptions,
  type OpenedIndex,
  openIndex,
  ThreadedVectorStore,
} from '@kettle/vector-store-thread';

/** Approximate search by hnswlib, in this process. */
export class HnswVectorStore extends ThreadedVectorStore {
  override readonly backend = 'hnsw';

  private constructor(opened: OpenedIndex) {
    super(opened);
  }

  /**
   * Opens the index kept in `options.directory`: as it was persisted, or empty where nothing (usable) is.
   *
   * @throws {VectorStoreError} `fingerprint_mismatch` when the folder holds vectors of another model, which are
   * left alone; `invalid_argument` for an option outside its range; `unsupported` when hnswlib's addon is
   * missing; `unavailable` when the folder can't be read.
   */
  static async open(options: GraphOptions): Promise<HnswVectorStore> {
    return new HnswVectorStore(await openIndex(new URL('./index-thread.js', import.meta.url), options));
  }
}
