import { defineProject } from 'vitest/config';

// Many tests start processes that load a model, on machines that may be busy.
export default defineProject({ test: { name: 'server', testTimeout: 60_000, hookTimeout: 60_000 } });
