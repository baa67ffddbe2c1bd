import type { SearchIndex } from '@kettle/search';

/** Waits until `holds` does, asking after every change of the index and, for other processes, now and then. */
export async function until(index: SearchIndex, holds: () => Promise<boolean> | boolean): Promise<void> {
  let stop = () => {};
  let timer: NodeJS.Timeout | undefined;
  try {
    for (;;) {
      const changed = new Promise<void>((resolve) => {
        stop = index.onChange(() => resolve());
        timer = setTimeout(resolve, 100);
      });
      if (await holds()) return;
      await changed;
      stop();
      clearTimeout(timer);
    }
  } finally {
    stop();
    clearTimeout(timer);
  }
}
