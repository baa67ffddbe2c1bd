import type { Query } from '../corpus/judgments.js';
import type { Plan } from '../plan.js';
import type { Labels, Measurement } from '../results/results.js';
import type { Depth } from './depths.js';
import type { Tell } from './tell.js';

export interface CrowdOptions extends Omit<Plan['concurrency'], 'backends'> {
  readonly labels: Labels;
  /** Asked over and over; the server has answered each of them before. */
  readonly queries: readonly Query[];
}

/**
 * Queries per second while a number of clients each ask one question after the other (a closed loop).
 *
 * @param connect gives what one more client asks
 */
export async function measureCrowd(
  { labels: base, queries, clients, windows, window }: CrowdOptions,
  connect: () => Promise<Depth>,
  tell: Tell,
): Promise<Measurement[]> {
  const connected: Depth[] = [];
  const measured: Measurement[] = [];
  for (const count of clients) {
    while (connected.length < count) connected.push(await connect());
    const depth = connected[0]!.name;
    for (const query of queries.slice(0, 5)) await connected.at(-1)!.ask(query);
    tell(`${count} clients at once, ${depth}`);
    let next = 0;
    const times: number[] = [];
    const answered = new Array<number>(windows).fill(0);
    const start = performance.now();
    await Promise.all(
      connected.map(async (client) => {
        while (performance.now() - start < windows * window) {
          const asked = performance.now();
          await client.ask(queries[next++ % queries.length]!);
          const now = performance.now();
          times.push(now - asked);
          const place = Math.floor((now - start) / window);
          if (place < windows) answered[place]!++;
        }
      }),
    );
    const perSecond = answered.map((count) => (1000 * count) / window);
    const labels = { ...base, depth, clients: count };
    measured.push(
      { metric: 'throughput', labels, runs: [perSecond] },
      { metric: 'query', labels: { ...labels, state: 'warm' }, runs: [times] },
    );
  }
  return measured;
}
