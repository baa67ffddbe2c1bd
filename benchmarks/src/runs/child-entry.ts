// The process in which one job runs: takes the job from its parent, answers with the result, and ends.
import type { ChildMessage } from './child.js';
import { type JobName, jobs } from './jobs.js';

const send = (message: ChildMessage) =>
  new Promise<void>((resolve) => {
    process.send?.(message, () => resolve());
  });

process.once('message', async ({ name, input }: { name: JobName; input: never }) => {
  try {
    const run = await jobs[name]();
    const value = await run(input, (message) => void send({ type: 'progress', message }));
    await send({ type: 'result', value });
  } catch (error) {
    await send({ type: 'error', message: error instanceof Error ? error.message : String(error) });
  }
  // Native threads of a backend that has a fault must not keep the process alive.
  process.exit();
});
// A parent that is gone wants no result.
process.once('disconnect', () => process.exit(1));
