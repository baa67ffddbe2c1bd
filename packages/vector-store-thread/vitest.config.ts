import { defineProject } from 'vitest/config';

export default defineProject({ test: { name: 'vector-store-thread', testTimeout: 120_000 } });
