import { abortable } from './abortable.js';
import { asSearchError } from './as-search-error.js';
import type { Catalog } from './catalog/catalog.js';
import { isDamage } from './catalog/open-catalog.js';
import type { DocumentContent, DocumentInfo } from './document-info.js';
import { Engine } from './engine.js';
import { SearchError } from './errors.js';
import type { Gate } from './gate.js';
import type { IndexStatus } from './index-status.js';
import type { OpenIndexOptions } from './open-index-options.js';
import { type FolderKnowledge, listFolder, readFolderDocument } from './reading/folder-documents.js';
import { refusalsFrom } from './refusals.js';
import type { SearchHit } from './search-hit.js';
import type {
  IndexCallOptions,
  IndexChange,
  SearchIndex,
  SearchOptions,
  SyncOptions,
  WaitOptions,
} from './search-index.js';
import { checkQuery } from './search-service.js';
import { SharedRun } from './shared-run.js';
import type { SyncReport } from './sync-report.js';

/**
 * Opens the index of a corpus. Returns at once: the model loads and the index synchronises behind it, and what
 * fails there is tried again by itself; `status()` says how it stands.
 */
export async function openIndex(options: OpenIndexOptions): Promise<SearchIndex> {
  options.signal?.throwIfAborted();
  return new LiveIndex(options);
}

class LiveIndex implements SearchIndex {
  readonly #engine: Engine;
  readonly #directory: string;
  readonly #ignoreSignal: () => void;
  /** Many clients that list at once walk the folder once. */
  readonly #listing = new SharedRun(() => this.#list());

  constructor(options: OpenIndexOptions) {
    this.#directory = options.corpus.directory;
    this.#engine = new Engine(Object.freeze({ ...options }));
    const { signal } = options;
    const close = () => void this.close();
    signal?.addEventListener('abort', close, { once: true });
    this.#ignoreSignal = () => signal?.removeEventListener('abort', close);
  }

  async search(query: string, options: SearchOptions = {}): Promise<SearchHit[]> {
    const checked = checkQuery(query, options);
    for (let attempt = 1; ; attempt++) {
      await this.#wait(this.#engine.state.searchable, options);
      const { session } = this.#engine;
      if (session === undefined) throw this.#closed();
      try {
        return await session.service.search(checked);
      } catch (error) {
        if (this.#engine.isClosed) throw this.#closed();
        const isOver = isDamage(error) || session !== this.#engine.session;
        // Where the catalog is made anew, the answer comes from the new one.
        const again = isOver && this.#engine.reportDamage(session, error);
        if (!again || attempt > 1) throw asSearchError(error, options.signal);
      }
    }
  }

  async listDocuments({ signal }: IndexCallOptions = {}): Promise<DocumentInfo[]> {
    this.#checkOpen();
    return [...(await abortable(this.#listing.run(), signal))];
  }

  async getDocument(name: string, { signal }: IndexCallOptions = {}): Promise<DocumentContent> {
    this.#checkOpen();
    return readFolderDocument(name, {
      directory: this.#directory,
      refused: () => this.#know((catalog) => refusalsFrom(catalog.get('refused'))) ?? new Map(),
      signal,
    });
  }

  status(): IndexStatus {
    return this.#engine.state.status();
  }

  ready(options: WaitOptions = {}): Promise<void> {
    return this.#wait(this.#engine.state.ready, options);
  }

  async sync(options: SyncOptions = {}): Promise<SyncReport> {
    this.#checkOpen();
    options.signal?.throwIfAborted();
    const stop = this.#engine.state.listen(options.onProgress);
    try {
      return await abortable(this.#engine.sync(options.force ?? false), options.signal);
    } finally {
      stop();
    }
  }

  onChange(listener: (change: IndexChange) => void): () => void {
    return this.#engine.state.onChange(listener);
  }

  close(): Promise<void> {
    this.#ignoreSignal();
    return this.#engine.close();
  }

  async #list(): Promise<DocumentInfo[]> {
    const nothing: FolderKnowledge = { indexed: new Map(), refused: new Map() };
    const know = (catalog: Catalog): FolderKnowledge => ({
      indexed: catalog.documents.indexed(),
      refused: refusalsFrom(catalog.get('refused')),
    });
    return listFolder(this.#directory, () => this.#know(know) ?? nothing);
  }

  /** What the catalog says, as long as there is one that says something: the folder itself can be read without it. */
  #know<T>(ask: (catalog: Catalog) => T): T | undefined {
    const { session } = this.#engine;
    try {
      return session && ask(session.catalog);
    } catch (error) {
      if (isDamage(error)) this.#engine.reportDamage(session!, error);
      return undefined;
    }
  }

  async #wait(gate: Gate, { signal, onProgress }: WaitOptions): Promise<void> {
    signal?.throwIfAborted();
    if (gate.isOpen) return;
    const stop = this.#engine.state.listen(onProgress);
    try {
      await abortable(gate.wait(), signal);
    } finally {
      stop();
    }
  }

  #checkOpen(): void {
    if (this.#engine.isClosed) throw this.#closed();
  }

  #closed(): SearchError {
    return new SearchError('closed', 'The index is closed: open it again.');
  }
}
