import { Worker } from 'node:worker_threads';
import type { Passage } from '../passages/split-passages.js';
import type { CatalogChanges } from './catalog-changes.js';
import type { DocumentState } from './document-table.js';
import type { Embedding } from './embedding.js';
import type { MetaValues } from './meta.js';

type Method = keyof CatalogChanges;

export type Request =
  | { readonly id: number; readonly method: Method; readonly args: readonly unknown[] }
  | { readonly close: true };

export interface Reply {
  readonly id: number;
  readonly error?: {
    readonly name: string;
    readonly message: string;
    /** SQLite's. */
    readonly code: string | undefined;
  };
}

/** The thread is no more, so nothing can be written through it: another `CatalogWriter` has to take its place. */
export class WriterEnded extends Error {
  override readonly name = 'WriterEnded';
  /** SQLite's or the system's, where one of their errors was the end. */
  readonly code: string | undefined;

  constructor(cause: unknown) {
    super(`the thread that writes the catalog ended${cause ? `: ${cause}` : ''}`, { cause });
    const { code } = (cause ?? {}) as { code?: unknown };
    this.code = code === undefined ? undefined : String(code);
  }
}

/** Passages that go over to the thread at a time: more would keep the event loop while they are copied. */
const passagesAtOnce = 256;

/**
 * Writes the catalog from a thread of its own. A document may have tens of thousands of passages, which have to go
 * in with one transaction: that takes seconds, and nobody waits for it here. Each method is one transaction, done
 * when its promise resolves; from then on every reader sees it. What the methods reject with are SQLite's errors, and
 * from the end of the thread on {@link WriterEnded}.
 */
export class CatalogWriter {
  readonly #worker: Worker;
  readonly #calls = new Map<number, { resolve: () => void; reject: (reason: unknown) => void }>();
  #last = 0;
  #closing = false;
  #ended: WriterEnded | undefined;

  /** For the holder of the writer lock, once the catalog was opened: its schema must be there. */
  constructor(path: string) {
    this.#worker = new Worker(new URL('./write-worker.js', import.meta.url), {
      workerData: path,
      name: 'catalog-writer',
      // Flags of the process may be none for a thread's file: `--input-type` ends it at once.
      execArgv: [],
    });
    this.#worker.unref();
    this.#worker.on('message', (reply: Reply) => this.#settle(reply));
    this.#worker.on('error', (error) => this.#end(error));
    this.#worker.once('exit', () => this.#end());
  }

  /** Saves embeddings, unused as yet. They outlive a crash from here on. */
  addEmbeddings(embeddings: readonly Embedding[]): Promise<void> {
    return this.#call('addEmbeddings', embeddings);
  }

  /** Puts a document in its new state, whole: its passages' contents must be there. */
  async put(state: DocumentState, passages: readonly Passage[]): Promise<void> {
    const bringing = ++this.#last;
    for (let from = 0; from < passages.length; from += passagesAtOnce) {
      await this.#call('bring', bringing, passages.slice(from, from + passagesAtOnce));
    }
    await this.#call('put', state, bringing);
  }

  /** The content is the same; only what the system says of the file changed. */
  touch(id: number, stamp: string): Promise<void> {
    return this.#call('touch', id, stamp);
  }

  rename(id: number, name: string, stamp: string): Promise<void> {
    return this.#call('rename', id, name, stamp);
  }

  /** Removes documents and their passages. */
  remove(ids: readonly number[]): Promise<void> {
    return this.#call('remove', ids);
  }

  /** Lets go of embeddings that were not used for long or are too many, and of changes of long ago. */
  tidy(): Promise<void> {
    return this.#call('tidy');
  }

  /** Notes that a store holds exactly the contents that were live at `revision`, and keeps them. */
  storeSaved(backend: string, revision: number): Promise<void> {
    return this.#call('storeSaved', backend, revision);
  }

  set(values: MetaValues): Promise<void> {
    return this.#call('set', values);
  }

  /** Finishes what was asked for, and lets go of the file. Never rejects: whatever ends the thread, it is closed then. */
  async close(): Promise<void> {
    if (this.#ended !== undefined) return;
    const exit = new Promise((resolve) => this.#worker.once('exit', resolve));
    this.#closing = true;
    this.#worker.ref();
    this.#worker.postMessage({ close: true } satisfies Request);
    await exit;
  }

  #call<M extends Method>(method: M, ...args: Parameters<CatalogChanges[M]>): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== undefined) throw this.#ended;
      const id = ++this.#last;
      this.#calls.set(id, { resolve, reject });
      // An idle writer is no reason for the process to stay.
      this.#worker.ref();
      this.#worker.postMessage({ id, method, args } satisfies Request);
    });
  }

  #settle({ id, error }: Reply): void {
    const call = this.#take(id);
    if (error === undefined) call?.resolve();
    else call?.reject(Object.assign(new Error(error.message), { name: error.name, code: error.code }));
  }

  #take(id: number) {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    if (this.#calls.size === 0 && !this.#closing) this.#worker.unref();
    return call;
  }

  #end(cause?: unknown): void {
    this.#ended ??= new WriterEnded(cause);
    for (const id of [...this.#calls.keys()]) this.#take(id)?.reject(this.#ended);
  }
}
