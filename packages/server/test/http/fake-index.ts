import type {
  DocumentContent,
  IndexChange,
  IndexStatus,
  SearchHit,
  SearchIndex,
  SearchOptions,
} from '@kettle/search';
import { SearchError } from '@kettle/search';

const documents = new Map([
  ['faq.txt', 'Dogs are welcome on the terrace.'],
  ['hours/summer.md', 'We open at eight.'],
]);

/**
 * An index without a model, for tests of what happens between a client and the server. A search for `wait` stays
 * unanswered until `release()`, reporting progress, as does reading `wait.txt`; a search for `long` gives a passage of a
 * megabyte.
 */
export class FakeIndex implements SearchIndex {
  searchable = true;
  /** Searches that wait right now. */
  waiting = 0;
  /** Searches that were cancelled while they waited. */
  cancelled = 0;
  #release!: () => void;
  #released!: Promise<void>;
  readonly #waits = new Set<() => void>();
  readonly #listeners = new Set<(change: IndexChange) => void>();

  constructor() {
    this.#arm();
  }

  async search(query: string, { topK = 5, signal, onProgress }: SearchOptions = {}): Promise<SearchHit[]> {
    if (query.startsWith('wait')) await this.#wait(signal, onProgress);
    const [name, text] = [...documents][0]!;
    const passage = query === 'long' ? 'long '.repeat(200_000) : text;
    return Array.from({ length: Math.min(topK, 2) }, (_, index) => ({
      rank: index + 1,
      document: name,
      passage,
      start: 0,
      end: passage.length,
      ordinal: index,
      distance: 0.21,
      mimeType: 'text/plain',
    }));
  }

  async listDocuments() {
    return [...documents.keys()].map((name) => this.#info(name));
  }

  async getDocument(name: string, { signal }: { signal?: AbortSignal } = {}): Promise<DocumentContent> {
    if (name === 'wait.txt') await this.#wait(signal, undefined);
    const text = documents.get(name);
    if (text === undefined) throw new SearchError('document_not_found', `No document is called ${name}`);
    return { ...this.#info(name), text };
  }

  status(): IndexStatus {
    return {
      phase: this.searchable ? 'ready' : 'starting',
      searchable: this.searchable,
      model: 'none',
      documents: documents.size,
      passages: 2,
      embedded: 0,
    };
  }

  async ready() {}

  async sync(): Promise<never> {
    throw new Error('a fake has nothing to synchronise');
  }

  onChange(listener: (change: IndexChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  /** Tells the listeners that a document changed. */
  change(name: string): void {
    for (const listener of this.#listeners) listener({ added: [], changed: [name], removed: [] });
  }

  /** Resolves once so many searches wait. */
  async untilWaiting(count: number): Promise<void> {
    while (this.waiting < count) await new Promise<void>((resolve) => this.#waits.add(resolve));
  }

  /** Lets the searches that wait go on. */
  release(): void {
    this.#release();
    this.#arm();
  }

  async close(): Promise<void> {}

  #arm(): void {
    this.#released = new Promise((resolve) => {
      this.#release = resolve;
    });
  }

  async #wait(signal: AbortSignal | undefined, onProgress: SearchOptions['onProgress']): Promise<void> {
    onProgress?.({ phase: 'embedding', done: 1, total: 3, message: 'embedding' });
    this.waiting += 1;
    for (const wake of this.#waits) wake();
    this.#waits.clear();
    let abort = () => {};
    const aborted = new Promise<never>((_, reject) => {
      abort = () => reject(signal?.reason);
    });
    signal?.addEventListener('abort', abort, { once: true });
    try {
      await Promise.race([this.#released, aborted]);
    } catch (error) {
      this.cancelled += 1;
      throw error;
    } finally {
      this.waiting -= 1;
    }
  }

  #info(name: string) {
    const size = Buffer.byteLength(documents.get(name)!);
    return { name, size, modified: '2026-01-01T00:00:00.000Z', mimeType: 'text/plain', passages: 1 };
  }
}
