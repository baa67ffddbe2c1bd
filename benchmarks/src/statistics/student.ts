/**
 * The `p`-quantile of Student's t distribution, by bisection of its distribution function.
 *
 * @param p between 0.5 and 1
 * @param freedom degrees of freedom, a whole number above zero
 */
export function studentQuantile(p: number, freedom: number): number {
  if (!(p >= 0.5 && p < 1)) throw new RangeError(`p must be from 0.5 to below 1, got ${p}`);
  if (!(Number.isInteger(freedom) && freedom > 0))
    throw new RangeError(`degrees of freedom must be a whole number above zero, got ${freedom}`);
  let [low, high] = [0, 1];
  while (below(high, freedom) < p) high *= 2;
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (below(middle, freedom) < p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/**
 * The chance of a value below `t`, which is not negative, for whole degrees of freedom: the finite sums of Abramowitz
 * and Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4.
 */
function below(t: number, freedom: number): number {
  const angle = Math.atan(t / Math.sqrt(freedom));
  const [sine, squared] = [Math.sin(angle), Math.cos(angle) ** 2];
  const odd = freedom % 2 === 1;
  let term = odd ? Math.cos(angle) : 1;
  let sum = 0;
  for (let k = odd ? 1 : 0; k <= freedom - 2; k += 2) {
    sum += term;
    term *= ((k + 1) / (k + 2)) * squared;
  }
  const within = odd ? (2 / Math.PI) * (angle + sine * sum) : sine * sum;
  return (1 + within) / 2;
}
