/** Every job that runs in a process of its own. Loaded when needed: no job pays for another's imports. */
export const jobs = {
  prepare: async () => (await import('./prepare-job.js')).prepareCorpus,
  grow: async () => (await import('./grow-job.js')).growCorpus,
  build: async () => (await import('./corpus-job.js')).buildIndex,
  query: async () => (await import('./corpus-job.js')).queryIndex,
  baseline: async () => (await import('./baseline-job.js')).measureBaseline,
  fill: async () => (await import('./fill-job.js')).measureFill,
  store: async () => (await import('./store-job.js')).measureStore,
  indexing: async () => (await import('./indexing-job.js')).measureWhileIndexing,
  loop: async () => (await import('./loop-job.js')).measureLoop,
  generate: async () => (await import('./whole-job.js')).generateDocuments,
  'whole-build': async () => (await import('./whole-job.js')).buildWhole,
  'whole-use': async () => (await import('./whole-job.js')).measureWholeUse,
  start: async () => (await import('./start-job.js')).measureStart,
};

export type JobName = keyof typeof jobs;
type Job<N extends JobName> = Awaited<ReturnType<(typeof jobs)[N]>>;
export type JobInput<N extends JobName> = Parameters<Job<N>>[0];
export type JobOutput<N extends JobName> = Awaited<ReturnType<Job<N>>>;
