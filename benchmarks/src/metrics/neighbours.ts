/** Room for the last bits of 32-bit arithmetic when two distances are compared. */
const tolerance = 1e-5;

/**
 * recall@k of an approximate nearest-neighbour search: the share of the true `k` nearest that it found, 0 to 1.
 *
 * Judged by distance rather than by id, as is usual for such benchmarks: where several records are equally far
 * away, any of them is as good as another.
 *
 * @param found distances of the answers, ascending.
 * @param truth distances of the true nearest `k`, ascending; fewer when the store holds fewer.
 */
export function neighbourRecall(found: readonly number[], truth: readonly number[]): number {
  if (truth.length === 0) return 1;
  const limit = truth[truth.length - 1]! + tolerance;
  return found.slice(0, truth.length).filter((distance) => distance <= limit).length / truth.length;
}
