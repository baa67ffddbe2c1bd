import type { VectorStore } from '@kettle/vector-store';
import type { Catalog } from './catalog/catalog.js';
import type { IndexProgress } from './index-status.js';
import { Pace } from './pace.js';

const upsertBatch = 128;
const deleteBatch = 1000;

export interface LevelOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: ((progress: IndexProgress) => void) | undefined;
}

/**
 * Makes a store hold exactly the live contents of the catalog, by comparing all ids. Gives the revision that the
 * store has reached; what changes meanwhile is in the log after it.
 */
export async function levelWholly(
  catalog: Catalog,
  store: VectorStore,
  options: LevelOptions,
): Promise<number> {
  const revision = catalog.changes.revision();
  const { signal } = options;
  const stored = new Set<string>();
  for await (const page of store.ids({ signal })) for (const id of page) stored.add(id);
  const missing: string[] = [];
  for (const page of catalog.contents.livePages()) {
    missing.push(...page.filter((id) => !stored.delete(id)));
    await turn(signal);
  }
  const pace = fillingPace(missing.length, options);
  await upsert(catalog, store, missing, options, pace);
  await remove(store, [...stored], options);
  return revision;
}

/**
 * Brings a store from `revision` to now by the change log. Gives the revision reached, or `undefined` when the log
 * does not reach back that far.
 */
export async function levelFrom(
  revision: number,
  catalog: Catalog,
  store: VectorStore,
  options: LevelOptions,
): Promise<number | undefined> {
  const reached = catalog.changes.revision();
  const touched = catalog.changes.contentsSince(revision);
  if (touched === undefined) return undefined;
  const live = new Set<string>();
  const dead = new Set<string>();
  for (const page of touched) {
    const among = catalog.contents.liveAmong(page);
    for (const id of page) (among.has(id) ? live : dead).add(id);
    await turn(options.signal);
  }
  const pace = fillingPace(live.size, options);
  await upsert(catalog, store, [...live], options, pace);
  await remove(
    store,
    [...dead].filter((id) => !live.has(id)),
    options,
  );
  return reached;
}

/** Whether a level store still holds as many records as it should; `true` while the catalog changes. */
export async function isFull(
  catalog: Catalog,
  store: VectorStore,
  { signal }: LevelOptions,
): Promise<boolean> {
  const revision = catalog.changes.revision();
  const { live } = catalog.contents.counts();
  const count = await store.count({ signal });
  return count === live || catalog.changes.revision() !== revision;
}

/**
 * The least that a shared store holds once the writer has filled it: all live contents but for those that came
 * after the state in which it was last level.
 */
export async function leastContents(
  catalog: Catalog,
  backend: string,
  { signal }: LevelOptions,
): Promise<number> {
  const saved = catalog.savedRevision(backend);
  // It was never level: no number is enough.
  if (saved === undefined) return Number.POSITIVE_INFINITY;
  const recent = new Set<string>();
  for (const page of catalog.changes.contentsSince(saved) ?? []) {
    for (const id of catalog.contents.liveAmong(page)) recent.add(id);
    await turn(signal);
  }
  return catalog.contents.counts().live - recent.size;
}

function fillingPace(total: number, { onProgress: report }: LevelOptions): Pace {
  return new Pace({ phase: 'storing', label: 'Filling the vector store', total, report });
}

async function upsert(
  catalog: Catalog,
  store: VectorStore,
  ids: readonly string[],
  { signal }: LevelOptions,
  pace: Pace,
): Promise<void> {
  for (let from = 0; from < ids.length; from += upsertBatch) {
    const batch = ids.slice(from, from + upsertBatch);
    const records = [...catalog.contents.vectors(batch)].map(([id, vector]) => ({ id, vector }));
    if (records.length > 0) await store.upsert(records, { signal });
    pace.advance(batch.length);
    await turn(signal);
  }
}

async function remove(store: VectorStore, ids: readonly string[], { signal }: LevelOptions): Promise<void> {
  for (let from = 0; from < ids.length; from += deleteBatch) {
    await store.delete(ids.slice(from, from + deleteBatch), { signal });
    await turn(signal);
  }
}

/** Lets the event loop serve others: stores in memory answer without a pause. */
async function turn(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  signal.throwIfAborted();
}
