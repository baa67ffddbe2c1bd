import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import {
  defaultBackend,
  defaultMode,
  defaultPlan,
  type Measurement,
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
    readonly directory?: string;
    readonly kept?: boolean;
  };
}

/** Runs no process: notes the jobs, and fails those that it is told to fail. */
class Rehearsal extends Recorder {
  readonly ran: Job[] = [];
  /** Most jobs that were under way at once. */
  atOnce = 0;
  /** Whether something else was under way beside the job of a server. */
  besideServers = false;
  readonly #underWay = new Set<Job>();
  readonly #fails: (job: Job) => boolean;
  readonly #gives: (job: Job) => readonly object[];

  constructor(fails: (job: Job) => boolean, gives: (job: Job) => readonly object[]) {
    super(new Progress({ write: () => {} }, 100));
    this.#fails = fails;
    this.#gives = gives;
  }

  protected override pace(): number {
    return 1;
  }

  protected override async run(name: string, input: unknown): Promise<never> {
    const job = { name, input: input as Job['input'] };
    if (this.#fails(job)) throw new Error('made up');
    this.ran.push(job);
    this.#underWay.add(job);
    this.atOnce = Math.max(this.atOnce, this.#underWay.size);
    if (this.#underWay.size > 1 && [...this.#underWay].some(({ input }) => isServer(input)))
      this.besideServers = true;
    await setImmediate();
    this.#underWay.delete(job);
    return (name === 'fill' ? [storing(job)] : this.#gives(job)) as never;
  }
}

function isServer({ backend }: Job['input']): boolean {
  return backends.some(({ name, server }) => name === backend && server === true);
}

/** A tenth of a second for each thousand passages; ten times that where settings differ from the presets. */
function storing({ input: { backend, size, build } }: Job): Measurement {
  const milliseconds = size! * 0.1 * (Object.keys(build!).length === 0 ? 1 : 10);
  return {
    metric: 'build_storing',
    labels: { backend: backend!, passages: size! },
    runs: [[milliseconds]],
  };
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
        const filled = ran.filter(
          ({ name: job, input }) =>
            job === 'fill' && input.backend === name && input.build?.[setting] === value,
        );
        expect(filled.map(({ input }) => input.size)).toEqual([...thoroughPlan.sizes]);
      }
    }
    const http = ran.filter(({ input }) => input.contender === name && input.http);
    expect(http.map(({ input }) => input.repetition)).toEqual([0, 1, 2, 3, 4]);
  }
});

test('the default run varies every setting of the default backend at every size', async () => {
  const { ran } = await rehearse(() => false);
  const { tunables = [] } = backends.find(({ name }) => name === defaultBackend)!;
  const built = tunables.filter(({ applies }) => applies === 'build');
  expect(built.length).toBeGreaterThan(0);
  for (const size of defaultPlan.sizes)
    for (const { name: setting } of built)
      expect(
        ran.some(
          ({ name, input }) => name === 'store' && input.size === size && input.build![setting] !== undefined,
        ),
        `${setting} at ${size}`,
      ).toBe(true);
});

test('stores are filled side by side, those that took longest first, but asked one after the other', async () => {
  const cores = availableParallelism();
  const { ran, atOnce } = await rehearse(() => false, thoroughPlan);
  expect(atOnce).toBe(1);
  const sideBySide = await rehearse(() => false, { ...thoroughPlan, fillsAtOnce: 2 });
  expect(sideBySide.atOnce).toBe(Math.min(2, cores));
  expect(sideBySide.besideServers).toBe(false);
  for (const size of thoroughPlan.sizes) {
    const jobs = ran.filter(({ input }) => input.size === size);
    const fills = jobs.filter(({ name }) => name === 'fill');
    const stores = jobs.filter(({ name }) => name === 'store');
    expect(jobs.slice(0, fills.length)).toEqual(fills);
    expect(stores).toHaveLength(fills.length);
    if (size === thoroughPlan.sizes[0]) continue;
    for (const server of [true, false]) {
      const settings = fills
        .filter(({ input }) => isServer(input) === server)
        .map(({ input }) => Object.keys(input.build!).length);
      expect(settings.length).toBeGreaterThan(0);
      expect(settings).toEqual([...settings].sort((a, b) => b - a));
    }
  }
});

test('a store goes on from that of the size before, and is left when no larger one follows', async () => {
  const { ran } = await rehearse(() => false);
  const chains = new Map<string, Job['input'][]>();
  for (const { name, input } of ran.filter(({ name }) => name === 'store')) {
    expect(name).toBe('store');
    chains.set(input.directory!, [...(chains.get(input.directory!) ?? []), input]);
  }
  for (const [place, chain] of chains) {
    const one = ({ backend, build }: Job['input']) => JSON.stringify([backend, build]);
    expect(new Set(chain.map(one)).size, place).toBe(1);
    expect(
      chain.map(({ kept }) => kept),
      place,
    ).toEqual(chain.map((_, index) => index < chain.length - 1));
    const sizes = chain.map(({ size }) => size!);
    expect(sizes).toEqual([...sizes].sort((a, b) => a - b));
  }
  const presets = [...chains.values()].filter(([first]) => Object.keys(first!.build!).length === 0);
  expect(presets).toHaveLength(backends.length);
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
        reason: `left out, as ${first} passages failed`,
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
          reason: 'left out, as 10000 passages failed',
        },
      ]);
    }
  });
});
