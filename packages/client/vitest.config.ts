import { defineProject } from 'vitest/config';

// The tests start the server as a user does, which on a busy machine takes its time.
export default defineProject({ test: { name: 'client', testTimeout: 60_000, hookTimeout: 60_000 } });
