/**
 * Writes the direction of `vector` (length 1) to `target` at `offset`. The vector must be finite and not all
 * zero. The sum runs in double precision, so neither huge nor tiny numbers overflow it.
 */
export function normaliseInto(vector: Float32Array, target: Float32Array, offset = 0): void {
  let squares = 0;
  for (let i = 0; i < vector.length; i++) squares += vector[i]! * vector[i]!;
  const length = Math.sqrt(squares);
  for (let i = 0; i < vector.length; i++) target[offset + i] = vector[i]! / length;
}

/**
 * Cosine distance, 0 to 2, of two vectors of length 1.
 *
 * @param matrix Vectors one after the other; the one compared starts at `offset`.
 */
export function unitDistance(query: Float32Array, matrix: Float32Array, offset = 0): number {
  const length = query.length;
  // Four independent sums let the processor overlap the additions, which otherwise wait for each other.
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  let i = 0;
  for (; i + 3 < length; i += 4) {
    const j = offset + i;
    a += query[i]! * matrix[j]!;
    b += query[i + 1]! * matrix[j + 1]!;
    c += query[i + 2]! * matrix[j + 2]!;
    d += query[i + 3]! * matrix[j + 3]!;
  }
  for (; i < length; i++) a += query[i]! * matrix[offset + i]!;
  // Rounding may leave the range by a hair.
  return Math.min(2, Math.max(0, 1 - (a + b + c + d)));
}
