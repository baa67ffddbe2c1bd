import { defaultBackend, defaultMode, defaultPlan, searchModeNames, thoroughPlan } from '@kettle/benchmarks';
import { backends } from '@kettle/server/backends';
import { describe, expect, test } from 'vitest';
import { rehearse } from './rehearsal.js';

test('backends and modes take turns in rounds; the default mode in a thorough run only, else its row is that of the default backend', async () => {
  for (const plan of [defaultPlan, thoroughPlan]) {
    const { ran, measurements } = await rehearse(
      () => false,
      plan,
      ({ name, input }) => {
        if (name !== 'query') return [];
        const labels = { backend: input.mode ?? input.backend! };
        return [
          { metric: 'ndcg_at_10', labels, runs: [[0.5]] },
          { metric: 'throughput', labels: { ...labels, depth: 'mcp-stdio', clients: 1 }, runs: [[1]] },
        ];
      },
    );
    const everything = [...backends.map(({ name }) => name), ...searchModeNames].sort();
    const contenders = everything.filter((name) => plan === thoroughPlan || name !== defaultMode);
    const asked = ran
      .filter(({ name }) => name === 'query')
      .map(({ input }) => ({ contender: input.mode ?? input.backend!, round: input.repetition }));
    for (let round = 0; round < plan.repetitions; round++) {
      const turn = asked.slice(round * contenders.length, (round + 1) * contenders.length);
      expect(turn.map((one) => one.round)).toEqual(contenders.map(() => round));
      expect(turn.map(({ contender }) => contender).sort()).toEqual(contenders);
    }
    // What was measured in the same round can be compared in pairs.
    const of = (backend: string, wanted = 'ndcg_at_10') =>
      measurements
        .filter(({ metric, labels }) => metric === wanted && labels.backend === backend)
        .map(({ rounds }) => rounds);
    const rounds = Array.from({ length: plan.repetitions }, (_, round) => [round]);
    for (const contender of everything) expect(of(contender)).toEqual(rounds);
    expect(of(defaultMode, 'throughput')).toEqual(plan === thoroughPlan ? rounds : []);
  }
});

test('many clients ask the default backend over both ways, in a thorough run the others too', async () => {
  for (const plan of [defaultPlan, thoroughPlan]) {
    const { ran } = await rehearse(() => false, plan);
    const crowds = ran.flatMap(({ input }) => (input.crowd ? [[input.backend, input.crowd.depths]] : []));
    const crowded = backends.filter(({ name }) => plan === thoroughPlan || name === defaultBackend);
    expect(new Map(crowds as [string, string[]][])).toEqual(
      new Map(
        crowded.map(({ name }) => [
          name,
          name === defaultBackend ? ['mcp-stdio', 'mcp-http'] : ['mcp-stdio'],
        ]),
      ),
    );
    expect(crowds).toHaveLength(crowded.length);
  }
});

describe('what one failure costs', () => {
  test('a setting that fails costs itself alone: larger stores are filled, the target among them', async () => {
    const { ran, absences } = await rehearse(({ input }) => input.build?.M === 32);
    const stored = ran.filter(({ name, input }) => name === 'store' && input.backend === defaultBackend);
    const { targetSize, sizes: planned, frontier } = defaultPlan;
    expect(new Set(stored.map(({ input }) => input.size))).toEqual(new Set([...planned, targetSize]));
    const [first, ...larger] = frontier.all;
    const of = (passages: number) => ({ backend: defaultBackend, passages, settings: 'M 32' });
    expect(absences).toEqual([
      { labels: of(first!), reason: 'made up' },
      ...larger.map((passages) => ({
        labels: of(passages),
        reason: `left out, as it could not be filled or asked with ${first} passages`,
      })),
    ]);
  });

  test('modes are not measured through another backend than the default one', async () => {
    const { ran, absences } = await rehearse(
      ({ name, input }) => name === 'build' && input.backend === defaultBackend,
    );
    expect(ran.some(({ name, input }) => name === 'query' && input.backend === 'exact')).toBe(true);
    expect(ran.filter(({ input }) => input.mode !== undefined)).toEqual([]);
    const reason = `the index of ${defaultBackend} was not built`;
    for (const mode of searchModeNames)
      expect(absences).toContainEqual({ labels: { backend: mode }, reason });
  });

  test('a store that fails, filled or asked, stops the sizes after it, and each that is left out is named', async () => {
    for (const failing of ['fill', 'store']) {
      const { ran, absences } = await rehearse(
        ({ name, input }) => name === failing && input.backend === 'exact' && input.size === 10_000,
      );
      const done = (job: string) =>
        ran
          .filter(({ name, input }) => name === job && input.backend === 'exact')
          .map(({ input }) => input.size);
      expect(done('store'), failing).toEqual([1_000]);
      expect(done('fill'), failing).toEqual(failing === 'fill' ? [1_000] : [1_000, 10_000]);
      expect(absences, failing).toEqual([
        { labels: { backend: 'exact', passages: 10_000 }, reason: 'made up' },
        {
          labels: { backend: 'exact', passages: 50_000 },
          reason: 'left out, as it could not be filled or asked with 10000 passages',
        },
      ]);
    }
  });
});
