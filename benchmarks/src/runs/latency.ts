import type { Query } from '../corpus/judgments.js';
import { seededRandom, shuffled } from '../random.js';
import type { Labels, Measurement } from '../results/results.js';
import type { Depth } from './depths.js';
import { timed } from './resources.js';

export interface LatencyOptions {
  readonly labels: Labels;
  readonly seed: number;
  /** Most questions to ask; which ones, the seed decides. */
  readonly most: number;
}

/**
 * Asks the questions at every depth and times each. The first question at a depth is its cold sample; then
 * each is asked once uncounted, so that every depth has remembered what it will, then each once, warm. Question by question the depths take turns
 * in an order that moves on, so that what disturbs the machine disturbs all depths alike.
 */
export async function measureLatency(
  depths: readonly Depth[],
  queries: readonly Query[],
  { labels, seed, most }: LatencyOptions,
): Promise<Measurement[]> {
  const order = shuffled(queries, seededRandom(seed)).slice(0, most);
  const cold = new Map<Depth, number>();
  const warm = new Map<Depth, number[]>(depths.map((depth) => [depth, []]));
  for (const depth of depths) {
    cold.set(depth, (await timed(() => depth.ask(order[0]!))).milliseconds);
    for (const query of order) await depth.ask(query);
  }
  for (const [turn, query] of order.entries()) {
    for (let i = 0; i < depths.length; i++) {
      const depth = depths[(turn + i) % depths.length]!;
      warm.get(depth)!.push((await timed(() => depth.ask(query))).milliseconds);
    }
  }
  return depths.flatMap((depth): Measurement[] => [
    {
      metric: 'query',
      labels: { ...labels, depth: depth.name, state: 'cold' },
      runs: [[cold.get(depth)!]],
    },
    { metric: 'query', labels: { ...labels, depth: depth.name, state: 'warm' }, runs: [warm.get(depth)!] },
  ]);
}
