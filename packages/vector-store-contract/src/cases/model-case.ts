import type { VectorRecord, VectorStore } from '@kettle/vector-store';
import fc from 'fast-check';
import { assertHolds, assertNearest } from '../assertions.js';
import type { ContractCase } from '../contract-case.js';
import { fingerprintOf } from '../data.js';

const dimensions = 3;

/** What the store should hold. */
type Model = Map<string, Float32Array>;

interface Real {
  store: VectorStore;
  readonly reopen: (() => Promise<VectorStore>) | undefined;
  readonly recall: number | undefined;
}

type Command = fc.AsyncCommand<Model, Real>;

// Few ids and small whole numbers: collisions, equal vectors and ties are what goes wrong.
const id = fc.constantFrom(...Array.from({ length: 12 }, (_, index) => `id-${index}`));
const vector = fc
  .tuple(...Array.from({ length: dimensions }, () => fc.integer({ min: -2, max: 2 })))
  .filter((values) => values.some((value) => value !== 0))
  .map((values) => Float32Array.from(values));
const records = fc.array(fc.record({ id, vector }), { maxLength: 10 });
const ids = fc.array(id, { maxLength: 8 });
const topK = fc.integer({ min: 1, max: 15 });
const within = fc.option(ids, { nil: undefined });

function command(name: string, run: Command['run'], check: Command['check'] = () => true): Command {
  return { run, check, toString: () => name };
}

const commands = [
  records.map((input) =>
    command(`upsert(${show(input)})`, async (model, { store }) => {
      await store.upsert(input);
      for (const each of input) model.set(each.id, each.vector);
    }),
  ),
  ids.map((input) =>
    command(`delete(${input})`, async (model, { store }) => {
      await store.delete(input);
      for (const each of input) model.delete(each);
    }),
  ),
  fc.tuple(vector, topK, within).map(([query, limit, selected]) =>
    command(`query([${query}], ${limit}, ${selected})`, (model, { store, recall }) =>
      assertNearest(store, {
        records: recordsOf(model),
        query,
        topK: limit,
        within: selected && new Set(selected),
        recall,
      }),
    ),
  ),
  fc.constant(command('count and ids', (model, { store }) => assertHolds(store, recordsOf(model)))),
  fc.constant(
    command('clear()', async (model, { store }) => {
      await store.clear();
      model.clear();
    }),
  ),
  fc.constant(
    command('persist, close, open', async (_, real) => {
      if (!real.reopen) return;
      await real.store.persist();
      await real.store.close();
      real.store = await real.reopen();
    }),
  ),
];

/** Any sequence of calls leaves the store as a plain map would be. */
export const modelCase: ContractCase = {
  name: 'behaves like a plain map under any sequence of calls',
  requirement: 'upsert',
  async run(context) {
    const { modelRuns = 25, recall, capabilities } = context.options;
    await fc.assert(
      fc.asyncProperty(fc.commands(commands, { maxCommands: 30 }), async (sequence) => {
        const place = context.newPlace();
        const open = () => context.open(fingerprintOf(dimensions), place);
        const real: Real = {
          store: await open(),
          reopen: capabilities.persistent ? open : undefined,
          recall,
        };
        try {
          await fc.asyncModelRun(() => ({ model: new Map(), real }), sequence);
        } finally {
          await real.store.close();
        }
      }),
      { numRuns: modelRuns },
    );
  },
};

function recordsOf(model: Model): VectorRecord[] {
  return Array.from(model, ([key, value]) => ({ id: key, vector: value }));
}

function show(input: readonly VectorRecord[]): string {
  return input.map((each) => `${each.id}: [${each.vector}]`).join(', ');
}
