import { availableParallelism } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { defaultBackend, defaultPlan, Progress, Recorder, thoroughPlan, withScale } from '@kettle/benchmarks';
import { backends } from '@kettle/server/backends';
import { expect, test } from 'vitest';
import { isServer, type Job, rehearse, storing } from './rehearsal.js';

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
  for (const { name, input } of ran) {
    if (name === 'store') chains.set(input.directory!, [...(chains.get(input.directory!) ?? []), input]);
    if (name === 'fill') {
      const before = chains.get(input.directory!)?.at(-1);
      const spent = before ? storing({ name, input: before }).runs[0]![0] : 0;
      expect(input.spent, `${input.directory} with ${input.size}`).toBe(spent);
    }
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

test('when a run is ended, jobs that were side by side have all ended before it is over, and no other begins', async () => {
  const ending = new AbortController();
  let underWay = 0;
  let begun = 0;
  class Ended extends Recorder {
    protected override pace(): number {
      return 1;
    }

    protected override async run(): Promise<never> {
      begun += 1;
      underWay += 1;
      const mine = begun;
      if (mine === 2) ending.abort(new Error('interrupted'));
      // One ends at once, the other a little later, as processes do.
      for (let turn = 0; turn < mine * 3; turn++) await setImmediate();
      underWay -= 1;
      throw new Error('killed');
    }
  }
  const recorder = new Ended(new Progress({ write: () => {} }, 1), ending.signal);
  const job = { title: 'any', labels: {}, input: {} as never };
  await expect(recorder.attemptTogether('some', 'fill', [job, job, job, job], 2)).rejects.toThrow(
    'interrupted',
  );
  expect({ begun, underWay }).toEqual({ begun: 2, underWay: 0 });
});
