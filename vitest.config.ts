import { defineConfig } from 'vitest/config';

// Tests import packages by their public names, so they test what is built and shipped: `pnpm test` builds first.
export default defineConfig({
  test: {
    projects: ['packages/*', 'benchmarks', 'e2e'],
    pool: 'forks',
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
