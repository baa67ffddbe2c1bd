import { defineProject } from 'vitest/config';

// Starting real servers takes its time on a busy machine.
export default defineProject({
  test: { name: 'vector-store-chroma', testTimeout: 60_000, hookTimeout: 120_000 },
});
