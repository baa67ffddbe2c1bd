import {
  assertSameFingerprint,
  type CallOptions,
  ExactVectorStore,
  type Fingerprint,
  type VectorRecord,
} from '@kettle/vector-store';

type Records = ReadonlyMap<string, Float32Array>;
type Contents = Map<string, { fingerprint: Fingerprint; records: Records }>;
type Keep = (contents: Contents, records: Records) => void;

/** Stands for the disk: what each place holds. */
const contents: Contents = new Map();
const added = new Map<string, Map<string, Float32Array>>();

/** An exact store that is persistent as far as this process goes: the right one of its kind, and a base for wrong ones. */
export class KeptVectorStore extends ExactVectorStore {
  override readonly capabilities = { exact: true, persistent: true, shared: false };
  readonly #records = new Map<string, Float32Array>();
  readonly #keep: (records: Records) => void;
  readonly #ever: Map<string, Float32Array>;

  constructor(fingerprint: Fingerprint, keep: (records: Records) => void, place = '') {
    super(fingerprint);
    this.#keep = keep;
    this.#ever = KeptVectorStore.everAdded(place);
  }

  static async open(
    place: string,
    fingerprint: Fingerprint,
    keep: Keep = (all, records) => all.set(place, { fingerprint, records }),
    refuse: (all: Contents, found: Fingerprint) => void = (_, found) =>
      assertSameFingerprint(found, fingerprint, place),
  ): Promise<KeptVectorStore> {
    const store = new KeptVectorStore(fingerprint, (records) => keep(contents, records), place);
    const kept = contents.get(place);
    if (!kept) return store;
    const { model, dimensions } = kept.fingerprint;
    if (model !== fingerprint.model || dimensions !== fingerprint.dimensions) {
      refuse(contents, kept.fingerprint);
      return store;
    }
    await store.upsert(Array.from(kept.records, ([id, vector]) => ({ id, vector })));
    return store;
  }

  /** Every record that a store of this place was ever given. */
  static everAdded(place: string): Map<string, Float32Array> {
    const known = added.get(place) ?? new Map<string, Float32Array>();
    added.set(place, known);
    return known;
  }

  override async upsert(records: readonly VectorRecord[], options?: CallOptions): Promise<void> {
    const copies = records.map((record) => ({ ...record, vector: Float32Array.from(record.vector) }));
    await super.upsert(records, options);
    for (const { id, vector } of copies) {
      this.#records.set(id, vector);
      this.#ever.set(id, vector);
    }
  }

  override async delete(ids: readonly string[], options?: CallOptions): Promise<void> {
    const doomed = [...ids];
    await super.delete(doomed, options);
    for (const id of doomed) this.#records.delete(id);
  }

  override async clear(options?: CallOptions): Promise<void> {
    await super.clear(options);
    this.#records.clear();
  }

  override async persist(options?: CallOptions): Promise<void> {
    await super.persist(options);
    this.#keep(new Map(this.#records));
  }
}
