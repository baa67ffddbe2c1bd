import { defineConfig } from 'vitest/config';

// Tests import packages by their public names, so they test what is built and shipped: `pnpm test` builds first.
export default defineConfig({
  test: {
    projects: ['packages/*', 'benchmarks', 'e2e'],
    pool: 'forks',
    // Mostly they wait for processes that they start.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
