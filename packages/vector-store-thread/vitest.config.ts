import { defineProject } from 'vitest/config';

export default defineProject({ test: { name: 'vector-store-thread', passWithNoTests: true } });
