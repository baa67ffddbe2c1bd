import type { Method } from '../results/results.js';

/** What the jobs of src/runs/jobs.ts are for; jobs of one kind are told together. */
const kinds: Readonly<Record<string, string>> = {
  prepare: 'preparing',
  build: 'building indexes',
  query: 'asking and judging',
  baseline: 'asking and judging',
  indexing: 'while indexing',
  start: 'starting',
  loop: 'the plain loop',
  generate: 'whole folders',
  'whole-build': 'whole folders',
  'whole-use': 'whole folders',
  grow: 'growing the corpus',
  fill: 'filling stores',
  store: 'asking stores',
};

/** Where a run's time went, the longest part first: one sentence, or undefined for a run that doesn't say. */
export function durationSentence({ seconds, steps }: Pick<Method, 'seconds' | 'steps'>): string | undefined {
  if (!steps || steps.length === 0) return undefined;
  const spent = new Map<string, number>();
  for (const { job, seconds } of steps) {
    const kind = kinds[job] ?? job;
    spent.set(kind, (spent.get(kind) ?? 0) + seconds);
  }
  const parts = [...spent].sort(([, a], [, b]) => b - a).map(([kind, took]) => `${kind} ${clock(took)}`);
  return `The run took ${clock(seconds)}: ${parts.join(', ')}.`;
}

function clock(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')} min`;
}
