/**
 * The exponent of the power law that fits best (least squares on log axes): 1 where `values` grow as `sizes` do, 0 where
 * they stay. Undefined with fewer than two sizes, or where a value is missing or not above zero.
 */
export function exponent(
  sizes: readonly number[],
  values: readonly (number | undefined)[],
): number | undefined {
  if (sizes.length < 2 || values.some((value) => value === undefined || value <= 0)) return undefined;
  const x = sizes.map(Math.log);
  const y = values.map((value) => Math.log(value!));
  const [meanX, meanY] = [x, y].map((list) => list.reduce((sum, each) => sum + each, 0) / list.length);
  let [covariance, variance] = [0, 0];
  for (const [index, each] of x.entries()) {
    covariance += (each - meanX!) * (y[index]! - meanY!);
    variance += (each - meanX!) ** 2;
  }
  return variance === 0 ? undefined : covariance / variance;
}
