/** Raw samples in any order. */
export type Samples = readonly number[] | Float64Array;

/**
 * The `q`-quantile of raw samples, with linear interpolation between the two nearest (type 7 of Hyndman and
 * Fan, which NumPy and R use by default).
 *
 * @param q 0 to 1; 0.5 gives the median, 0.99 the 99th percentile.
 */
export function quantile(samples: Samples, q: number): number {
  if (samples.length === 0) throw new RangeError('a quantile needs at least one sample');
  if (!(q >= 0 && q <= 1)) throw new RangeError(`quantile: q must be between 0 and 1, got ${q}`);
  return sortedQuantile(Float64Array.from(samples).sort(), q);
}

/** Like {@link quantile}, for samples in ascending order. */
export function sortedQuantile(sorted: ArrayLike<number>, q: number): number {
  const position = (sorted.length - 1) * q;
  const below = Math.floor(position);
  const low = sorted[below]!;
  const high = sorted[Math.min(below + 1, sorted.length - 1)]!;
  return low + (high - low) * (position - below);
}

export function median(samples: Samples): number {
  return quantile(samples, 0.5);
}

export function mean(samples: Samples): number {
  if (samples.length === 0) throw new RangeError('a mean needs at least one sample');
  let sum = 0;
  for (let i = 0; i < samples.length; i++) sum += samples[i]!;
  return sum / samples.length;
}
