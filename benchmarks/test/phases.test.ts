import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  defaultBackend,
  defaultMode,
  defaultPlan,
  measurePhases,
  Progress,
  Recorder,
  searchModeNames,
  thoroughPlan,
  withScale,
} from '@kettle/benchmarks';
import { backends } from '@kettle/server/backends';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

interface Job {
  readonly name: string;
  readonly input: {
    readonly backend?: string;
    readonly size?: number;
    readonly queries?: number;
    readonly mode?: string;
    readonly repetition?: number;
    readonly contender?: string;
    readonly http?: boolean;
    readonly crowd?: { readonly depths: readonly string[] };
    readonly build?: Readonly<Record<string, number>>;
  };
}

/** Runs no process: notes the jobs, and fails those that it is told to fail. */
class Rehearsal extends Recorder {
  readonly ran: Job[] = [];
  readonly #fails: (job: Job) => boolean;
  readonly #gives: (job: Job) => readonly object[];

  constructor(fails: (job: Job) => boolean, gives: (job: Job) => readonly object[]) {
    super(new Progress({ write: () => {} }, 100));
    this.#fails = fails;
    this.#gives = gives;
  }

  override async require(_title: string, name: string, input: unknown): Promise<never> {
    const job = { name, input: input as Job['input'] };
    if (this.#fails(job)) throw new Error('made up');
    this.ran.push(job);
    return this.#gives(job) as never;
  }
}

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kettle-phases-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

async function rehearse(
  fails: (job: Job) => boolean,
  plan = defaultPlan,
  gives: (job: Job) => readonly object[] = () => [],
): Promise<Rehearsal> {
  const recorder = new Rehearsal(fails, gives);
  const workspace = { directory, documents: directory, corpusName: 'none', queriesFile: '', seed: 1 };
  await measurePhases(workspace, plan, recorder);
  return recorder;
}

test('the target is held against all questions, also where its size is one of the others', async () => {
  const size = defaultPlan.targetSize!;
  for (const plan of [defaultPlan, withScale(defaultPlan, size)]) {
    const { ran } = await rehearse(() => false, plan);
    const presets = ran.filter(
      ({ name, input }) => name === 'store' && Object.keys(input.build!).length === 0,
    );
    const all = presets.filter(({ input }) => input.queries! > plan.storeQueries);
    expect(all.map(({ input }) => [input.backend, input.size])).toEqual([[defaultBackend, size]]);
    const others = presets.filter(({ input }) => input.size === size && input.backend !== defaultBackend);
    expect(others.length > 0).toBe(plan !== defaultPlan);
  }
});

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

test('a thorough run fills stores with every setting at every size, and asks over HTTP in every round', async () => {
  const { ran } = await rehearse(() => false, thoroughPlan);
  for (const { name, tunables = [] } of backends) {
    for (const { name: setting, values, preset, applies } of tunables) {
      if (applies !== 'build') continue;
      for (const value of values.filter((one) => one !== preset)) {
        const filled = ran.filter(({ input }) => input.backend === name && input.build?.[setting] === value);
        expect(filled.map(({ input }) => input.size)).toEqual([...thoroughPlan.sizes]);
      }
    }
    const http = ran.filter(({ input }) => input.contender === name && input.http);
    expect(http.map(({ input }) => input.repetition)).toEqual([0, 1, 2, 3, 4]);
  }
});

describe('what one failure costs', () => {
  test('a setting that fails costs itself alone: larger stores are filled, the target among them', async () => {
    const { ran, absences } = await rehearse(({ input }) => input.build?.M === 32);
    const stored = ran.filter(({ name, input }) => name === 'store' && input.backend === defaultBackend);
    const { targetSize, sizes: planned } = defaultPlan;
    expect(new Set(stored.map(({ input }) => input.size))).toEqual(new Set([...planned, targetSize]));
    expect(absences).toEqual(
      defaultPlan.frontier.sizes.map((passages) => ({
        labels: { backend: defaultBackend, passages, settings: 'M 32' },
        reason: 'made up',
      })),
    );
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

  test('presets that fail stop the sizes after them, and each that is left out is named', async () => {
    const { ran, absences } = await rehearse(
      ({ name, input }) => name === 'store' && input.backend === 'exact' && input.size === 10_000,
    );
    expect(ran.filter(({ name, input }) => name === 'store' && input.backend === 'exact')).toHaveLength(1);
    expect(absences).toEqual([
      { labels: { backend: 'exact', passages: 10_000 }, reason: 'made up' },
      {
        labels: { backend: 'exact', passages: 50_000 },
        reason: 'left out, as 10000 passages with the presets failed',
      },
    ]);
  });
});
