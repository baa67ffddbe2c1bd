import type { Pooling } from './profile.js';

/**
 * One vector of length 1 from the states of all tokens, `states` being [tokens, dimensions] in row-major order.
 * Sums are kept in doubles, so that they don't depend on how many tokens came before.
 */
export function pool(states: Float32Array, dimensions: number, pooling: Pooling): Float32Array<ArrayBuffer> {
  const sums = new Float64Array(dimensions);
  const end = pooling === 'cls' ? dimensions : states.length;
  for (let row = 0; row < end; row += dimensions) {
    for (let column = 0; column < dimensions; column++) sums[column]! += states[row + column]!;
  }
  let squares = 0;
  for (const sum of sums) squares += sum * sum;
  const scale = 1 / Math.sqrt(squares);
  return Float32Array.from(sums, (sum) => sum * scale);
}
