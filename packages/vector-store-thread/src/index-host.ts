import { setImmediate as nextTurn } from 'node:timers/promises';
import { assertSameFingerprint, type VectorHit } from '@kettle/vector-store';
import { readGeneration, removeOthers, Unusable, writeGeneration } from './generations.js';
import type { GraphEngine } from './graph.js';
import type { IndexSettings } from './graph-options.js';
import { LabelledIndex } from './labelled-index.js';
import { joinIds, type Operation, splitIds } from './protocol.js';

/** Longest time, in milliseconds, that a query waits for inserts. */
const sliceTime = 8;
const pageSize = 1000;
/** Deleted vectors that are put up with before the index is built anew without them. */
const toleratedDeletions = 200;

/**
 * One index and what is done to it. Changes run one after the other, cut into slices; queries run between the
 * slices. Deleted vectors are cleared away in the background by building a new index beside the old one.
 */
export class IndexHost {
  readonly #engine: GraphEngine;
  readonly #settings: IndexSettings;
  /** Why stored data could not be used, if so. */
  readonly rebuild: string | undefined;
  #index: LabelledIndex;
  /** The index that a compaction is filling. */
  #successor: LabelledIndex | undefined;
  /** Ends when the change that was asked for last has ended. */
  #changes: Promise<unknown> = Promise.resolve();
  #revision = 0;
  #persistedRevision = 0;
  #stopped = false;

  private constructor(engine: GraphEngine, settings: IndexSettings, index?: LabelledIndex, rebuild?: string) {
    this.#engine = engine;
    this.#settings = settings;
    this.#index = index ?? this.#newIndex();
    this.rebuild = rebuild;
    // A folder without a usable generation gets one by the first `persist`, even an empty one.
    if (!index) this.#revision = 1;
  }

  /** @throws {VectorStoreError} `fingerprint_mismatch`; `unavailable` where the folder can't be read. */
  static async open(engine: GraphEngine, settings: IndexSettings): Promise<IndexHost> {
    try {
      const index = await loadIndex(engine, settings);
      await removeOthers(settings.directory).catch(() => {});
      return new IndexHost(engine, settings, index);
    } catch (error) {
      if (!(error instanceof Unusable)) throw error;
      return new IndexHost(engine, settings, undefined, error.message);
    }
  }

  /** Does what is asked. A cancelled change ends at the next slice; nobody waits for its result. */
  run(operation: Operation, isCancelled: () => boolean): Promise<unknown> | unknown {
    switch (operation.kind) {
      case 'query':
        return this.#query(operation.vector, operation.topK, operation.within);
      case 'count':
        return this.#index.size;
      case 'ids':
        return this.#idPages();
      default:
        return this.#inTurn(async () => {
          if (isCancelled() || this.#stopped) return;
          if (operation.kind === 'upsert') await this.#upsert(operation.ids, operation.vectors, isCancelled);
          else if (operation.kind === 'delete') await this.#delete(operation.ids, isCancelled);
          else if (operation.kind === 'clear') this.#clear();
          else await this.#persist();
        });
    }
  }

  /** Ends changes at the next slice. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#changes;
  }

  #newIndex(): LabelledIndex {
    return new LabelledIndex(this.#engine.create(this.#settings), this.#settings.efSearch);
  }

  #inTurn(change: () => Promise<void>): Promise<void> {
    const turn = this.#changes.then(change);
    this.#changes = turn.catch(() => {});
    return turn;
  }

  #query(vector: Float32Array, topK: number, within: string | undefined): VectorHit[] {
    return this.#index.search(vector, topK, within === undefined ? undefined : splitIds(within));
  }

  #idPages(): string[] {
    const ids = this.#index.ids();
    const pages: string[] = [];
    for (let start = 0; start < ids.length; start += pageSize) {
      pages.push(joinIds(ids.slice(start, start + pageSize)));
    }
    return pages;
  }

  async #upsert(joined: string, vectors: Float32Array, isCancelled: () => boolean): Promise<void> {
    const { dimensions } = this.#settings.fingerprint;
    const ids = splitIds(joined);
    await sliced(ids.length, isCancelled, (place) => {
      const id = ids[place]!;
      const vector = vectors.subarray(place * dimensions, (place + 1) * dimensions);
      if (this.#index.has(id, vector)) return;
      this.#revision++;
      this.#index.add(id, vector);
      this.#successor?.delete(id);
    });
    this.#compactWhenWorthwhile();
  }

  async #delete(joined: string, isCancelled: () => boolean): Promise<void> {
    const ids = splitIds(joined);
    await sliced(ids.length, isCancelled, (place) => {
      if (!this.#index.delete(ids[place]!)) return;
      this.#revision++;
      this.#successor?.delete(ids[place]!);
    });
    this.#compactWhenWorthwhile();
  }

  #clear(): void {
    this.#revision++;
    this.#index = this.#newIndex();
    this.#successor = undefined;
  }

  async #persist(): Promise<void> {
    const revision = this.#revision;
    if (revision === this.#persistedRevision) return;
    const index = this.#index;
    const { directory, fingerprint, m, efConstruction } = this.#settings;
    await writeGeneration(directory, {
      fingerprint,
      m,
      efConstruction,
      engine: this.#engine.name,
      count: index.size,
      ids: index.idsByLabel(),
      files: index.graph.files,
    });
    this.#persistedRevision = revision;
  }

  #compactWhenWorthwhile(): void {
    const { deleted, size } = this.#index;
    if (this.#successor || deleted < toleratedDeletions || deleted < size / 2) return;
    this.#compact().catch(() => {
      // The old index goes on serving; the next change tries again.
      this.#successor = undefined;
    });
  }

  /** Copies what is left into a new index. Records added meanwhile come last in the old one, so are met too. */
  async #compact(): Promise<void> {
    const old = this.#index;
    const successor = this.#newIndex();
    this.#successor = successor;
    const isOver = () => this.#stopped || this.#successor !== successor;
    await sliced(
      Number.POSITIVE_INFINITY,
      () => isOver(),
      (label) => {
        if (label >= old.labels) return 'done';
        const id = old.idAt(label);
        if (id !== undefined) successor.add(id, Float32Array.from(old.graph.vectorAt(label)));
        return undefined;
      },
    );
    if (isOver()) return;
    this.#index = successor;
    this.#successor = undefined;
    this.#revision++;
  }
}

/** Does `step` for 0, 1, 2… until it gives 'done', giving way to messages whenever a slice of time is used up. */
async function sliced(
  steps: number,
  isCancelled: () => boolean,
  step: (place: number) => unknown,
): Promise<void> {
  let sliceEnd = performance.now() + sliceTime;
  for (let place = 0; place < steps; place++) {
    if (step(place) === 'done') return;
    if (performance.now() < sliceEnd) continue;
    await nextTurn();
    if (isCancelled()) return;
    sliceEnd = performance.now() + sliceTime;
  }
}

async function loadIndex(engine: GraphEngine, settings: IndexSettings): Promise<LabelledIndex | undefined> {
  return readGeneration(settings.directory, async ({ meta, paths, ids }) => {
    assertSameFingerprint(meta.fingerprint, settings.fingerprint, settings.directory);
    if (meta.engine !== engine.name) throw new Unusable(`its format is that of ${meta.engine}`);
    if (meta.m !== settings.m || meta.efConstruction !== settings.efConstruction) {
      throw new Unusable(
        `it was built with M ${meta.m} and efConstruction ${meta.efConstruction}, ` +
          `now M ${settings.m} and efConstruction ${settings.efConstruction} are asked for`,
      );
    }
    const graph = await engine.load(settings, paths);
    const idsByLabel = ids.map((id) => id || undefined);
    return new LabelledIndex(graph, settings.efSearch, idsByLabel);
  });
}
