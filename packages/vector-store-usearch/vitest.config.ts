import { defineProject } from 'vitest/config';

export default defineProject({ test: { name: 'vector-store-usearch', testTimeout: 120_000 } });
