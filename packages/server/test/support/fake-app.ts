import {
  type Corpus,
  type IndexChange,
  type IndexStatus,
  SearchError,
  type SearchIndex,
  type SearchOptions,
} from '@kettle/search';
import type { App, ChangeListener } from '../../src/app.js';
import { readConfig } from '../../src/config/config.js';

const corpus: Corpus = { name: 'Fakes', description: 'Nothing real', directory: '/nowhere', id: 'fakes' };

/** An app whose index does what a test tells it: for moments that the real index doesn't hold still for. */
export class FakeApp implements App {
  readonly config = readConfig({});
  readonly version = '1.2.3';
  readonly corpus = corpus;
  readonly logged: string[] = [];
  readonly documents = new Map([['a.txt', 'Alpha.\n']]);
  readonly #listeners = new Set<ChangeListener>();
  /** Answers a search. */
  search: SearchIndex['search'] = async () => [];
  /** Why the index does not work, as it has logged already. */
  lastError: IndexStatus['lastError'];
  closed = 0;

  log(level: string, message: string): void {
    this.logged.push(`${level} ${message}`);
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  /** Does what the real index does when the folder changed. */
  change(change: Partial<IndexChange>, isFirst = false): void {
    for (const listener of this.#listeners)
      listener({ added: [], changed: [], removed: [], ...change }, isFirst);
  }

  onChange(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async index(): Promise<SearchIndex> {
    const info = (name: string, text: string) => ({
      name,
      size: text.length,
      modified: '2026-11-30T12:00:00.000Z',
      mimeType: 'text/plain',
    });
    const index: Partial<SearchIndex> = {
      search: (query: string, options?: SearchOptions) => this.search(query, options),
      status: () => ({ lastError: this.lastError }) as IndexStatus,
      listDocuments: async () => [...this.documents].map(([name, text]) => info(name, text)),
      getDocument: async (name) => {
        const text = this.documents.get(name);
        if (text === undefined) throw new SearchError('document_not_found', name);
        return { ...info(name, text), text };
      },
    };
    return index as SearchIndex;
  }

  async close(): Promise<void> {
    this.closed += 1;
  }
}
