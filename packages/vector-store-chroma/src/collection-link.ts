import { assertSameFingerprint, VectorStoreError } from '@kettle/vector-store';
import type { Collection } from 'chromadb';
import type { CheckedOptions } from './chroma-options.js';
import type { Connection } from './connection.js';
import { AnswerError } from './failures.js';
import { hasOtherGraph, isGraph, toConfiguration } from './hnsw-settings.js';

/** UTF-16 units of the note for people that says whose collection it is: Chroma Cloud takes 256 bytes. */
const longestNote = 64;

type Operation<T> = (collection: Collection) => Promise<T>;

/**
 * The store's hold on its collection. The server knows a collection by an id that changes when it is made anew,
 * so a server that came back empty shows: the id is unknown there. Whatever call finds that out rejects with
 * `data_lost`. From then on
 *
 * - `read` goes on rejecting until there is a collection again: nothing found is not the same as nothing there;
 * - `visit` finds nothing to do;
 * - `write` makes the collection again.
 */
export class CollectionLink {
  readonly #connection: Connection;
  readonly #options: CheckedOptions;
  /** Undefined once the collection is known to be lost. */
  #id: string | undefined;
  #isDistributed = false;

  constructor(connection: Connection, options: CheckedOptions) {
    this.#connection = connection;
    this.#options = options;
  }

  /** Whether a distributed server has the collection, such as Chroma Cloud: it has no HNSW, and quotas. */
  get isDistributed(): boolean {
    return this.#isDistributed;
  }

  /** Finds or makes the collection, and refuses another model's. */
  async open(signal: AbortSignal | undefined): Promise<string> {
    const { collection: name, fingerprint, corpusId, hnsw, log } = this.#options;
    const collection = await this.#connection.call(
      (client) =>
        client.getOrCreateCollection({
          name,
          embeddingFunction: null,
          configuration: { hnsw: toConfiguration(hnsw) },
          metadata: { ...fingerprint, corpus: corpusId.slice(0, longestNote) },
        }),
      signal,
    );
    this.#hold(collection);
    if (hasOtherGraph(collection, hnsw)) {
      log('warn', `Collection ${name} keeps the maxNeighbors and efConstruction that it was made with.`);
    }
    return collection.id;
  }

  /** For answers. */
  read<T>(operation: Operation<T>, signal: AbortSignal | undefined): Promise<T> {
    return this.#run(operation, signal, async () => {
      const id = await this.#find(signal);
      if (id === undefined) throw this.#lost();
      return id;
    }) as Promise<T>;
  }

  /** For what has nothing to do where there is no collection. */
  visit<T>(operation: Operation<T>, signal: AbortSignal | undefined): Promise<T | undefined> {
    return this.#run(operation, signal, () => this.#find(signal));
  }

  /** For what adds records. */
  async write<T>(operation: Operation<T>, signal: AbortSignal | undefined): Promise<void> {
    await this.#run(operation, signal, () => this.open(signal));
  }

  async #run<T>(
    operation: Operation<T>,
    signal: AbortSignal | undefined,
    recover: () => Promise<string | undefined>,
  ): Promise<T | undefined> {
    const id = this.#id ?? (await recover());
    if (id === undefined) return undefined;
    try {
      return await this.#connection.call((client) => operation(client.collection(id)), signal);
    } catch (error) {
      if (!isMissing(error)) throw error;
      if (this.#id === id) this.#id = undefined;
      throw this.#lost(error);
    }
  }

  /** Another process may have made the collection again. */
  async #find(signal: AbortSignal | undefined): Promise<string | undefined> {
    const { collection: name } = this.#options;
    try {
      const collection = await this.#connection.call((client) => client.getCollection({ name }), signal);
      this.#hold(collection);
      return collection.id;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  #hold(collection: Collection): void {
    this.#checkOwner(collection);
    this.#id = collection.id;
    this.#isDistributed = !isGraph(collection);
  }

  #checkOwner({ name, metadata, configuration }: Collection): void {
    const place = `Chroma's collection ${name}`;
    assertSameFingerprint(metadata, this.#options.fingerprint, place);
    const space = configuration?.hnsw?.space ?? configuration?.spann?.space ?? 'cosine';
    if (space !== 'cosine') {
      throw new VectorStoreError(
        'fingerprint_mismatch',
        `${place} compares vectors by ${space}, not by cosine: use another collection, or delete that one.`,
      );
    }
  }

  #lost(cause?: unknown): VectorStoreError {
    return new VectorStoreError(
      'data_lost',
      `Chroma's collection ${this.#options.collection} is gone from the server: fill it again.`,
      { cause },
    );
  }
}

function isMissing(error: unknown): boolean {
  return VectorStoreError.isInstance(error) && error.cause instanceof AnswerError && error.cause.isMissing;
}
