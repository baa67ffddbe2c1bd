import { defineProject } from 'vitest/config';

// Some tests start and kill processes many times.
export default defineProject({ test: { name: 'vector-store-hnsw', testTimeout: 120_000 } });
