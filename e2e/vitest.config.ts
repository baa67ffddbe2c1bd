import { defineProject } from 'vitest/config';

// After each test a whole installation is deleted.
export default defineProject({ test: { name: 'e2e', hookTimeout: 120_000 } });
