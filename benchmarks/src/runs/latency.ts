import type { Query } from '../corpus/judgments.js';
import type { Labels, Measurement } from '../results/results.js';
import type { Depth } from './depths.js';
import { timed } from './resources.js';

export interface LatencyOptions {
  readonly labels: Labels;
  /** Asked in this order. */
  readonly queries: readonly Query[];
}

/** Questions after which a depth that remembers none of them is warm. */
const warmUp = 20;

/**
 * Asks the questions at every depth and times each. The first question at a depth is its cold sample, where that was not
 * taken when a server was started; then each is asked once uncounted, so that every depth has remembered what it will (a few, where nothing is remembered), then each
 * once, warm. Question by question the depths take turns in an order that moves on, so that what disturbs the machine
 * disturbs all depths alike.
 */
export async function measureLatency(
  depths: readonly Depth[],
  { labels, queries }: LatencyOptions,
): Promise<Measurement[]> {
  const cold = new Map<Depth, number>();
  const warm = new Map<Depth, number[]>(depths.map((depth) => [depth, []]));
  for (const depth of depths) {
    const first = await timed(() => depth.ask(queries[0]!));
    cold.set(depth, depth.cold ?? first.milliseconds);
  }
  for (const depth of depths) {
    for (const query of depth.remembers ? queries : queries.slice(0, warmUp)) await depth.ask(query);
  }
  for (const [turn, query] of queries.entries()) {
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
