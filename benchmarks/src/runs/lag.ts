/** Milliseconds between two looks at the event loop. */
const interval = 20;

/**
 * How late the event loop is: a look every 20 ms from now until the returned function is called, which gives all
 * samples. Looks that fall into a long block count one by one, from the time at which each was due; a block of a
 * second is fifty bad samples, not one.
 */
export function watchEventLoop(): () => number[] {
  const lags: number[] = [];
  let due = performance.now() + interval;
  const take = () => {
    const now = performance.now();
    for (; due <= now; due += interval) lags.push(now - due);
  };
  const look = () => {
    take();
    timer = setTimeout(look, due - performance.now());
  };
  let timer = setTimeout(look, interval);
  return () => {
    clearTimeout(timer);
    take();
    return lags;
  };
}
