import { defineProject } from 'vitest/config';

// The root's limits are not inherited, and vitest's own are for machines that do nothing else.
export default defineProject({ test: { name: 'native-gate', testTimeout: 60_000, hookTimeout: 120_000 } });
