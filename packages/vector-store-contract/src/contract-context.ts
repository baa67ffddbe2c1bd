import { randomUUID } from 'node:crypto';
import type { Fingerprint, VectorStore } from '@kettle/vector-store';
import type { ContractOptions } from './contract-options.js';
import type { StoreFactory } from './store-factory.js';

/** What a case works with. It remembers the stores it opened, so that they are closed whatever happens. */
export class ContractContext {
  readonly options: ContractOptions;
  readonly #factory: StoreFactory;
  readonly #opened: VectorStore[] = [];

  constructor(factory: StoreFactory, options: ContractOptions) {
    this.#factory = factory;
    this.options = options;
  }

  /** A place that no case has used. */
  newPlace(): string {
    return `place-${randomUUID()}`;
  }

  async open(fingerprint: Fingerprint, place = this.newPlace()): Promise<VectorStore> {
    const store = await this.#factory.open(place, fingerprint);
    this.#opened.push(store);
    return store;
  }

  async close(): Promise<void> {
    await Promise.all(this.#opened.map((store) => store.close()));
  }
}
