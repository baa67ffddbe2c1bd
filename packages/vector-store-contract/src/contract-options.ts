import type { VectorStoreCapabilities } from '@kettle/vector-store';

/** What an adapter declares about itself. Deviations are named here, so that none of them is silent. */
export interface ContractOptions {
  /** What the store must say about itself. `persistent` also decides which cases apply. */
  readonly capabilities: VectorStoreCapabilities;
  /**
   * Least share of a query's hits that must be as near as the true ones, on the suite's small data.
   * @default 1
   */
  readonly recall?: number;
  /**
   * Of records at the very same distance around the `topK`-th place, those with the smallest ids must be
   * given (`by id`), or any of them may (`any`: the backend cuts before its adapter can sort).
   * @default 'by id'
   */
  readonly tiesAtCut?: 'by id' | 'any';
  /** Random command sequences that the model-based case tries. @default 25 */
  readonly modelRuns?: number;
  /** Milliseconds that a case may take. @default 60_000 */
  readonly timeout?: number;
}
