/** The vector of an embedded text. */
export interface Embedding {
  /** The content's hash: the id of the vector in every store. */
  readonly id: string;
  readonly vector: Float32Array;
}
