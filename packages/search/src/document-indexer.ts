import type { Embedder } from '@kettle/embedder';
import type { Catalog } from './catalog/catalog.js';
import { embeddedText, type Passage, splitPassages, splitterVersion } from './passages/split-passages.js';
import type { ReadDocument } from './reading/read-document.js';
import type { SyncTally } from './sync-tally.js';

/** Passages that are embedded and saved at a time: what a kill can cost. */
const embeddingBatch = 64;

export interface DocumentIndexerOptions {
  readonly catalog: Catalog;
  readonly embedder: Embedder;
  readonly tally: SyncTally;
  readonly signal: AbortSignal;
  readonly onEmbedded: (count: number) => void;
}

/** Brings single documents into the catalog: splits them, embeds what has no embedding yet, and saves them whole. */
export class DocumentIndexer {
  readonly #catalog: Catalog;
  readonly #embedder: Embedder;
  readonly #tally: SyncTally;
  readonly #signal: AbortSignal;
  readonly #onEmbedded: (count: number) => void;
  /** Embeddings under way: the same text in two documents is embedded once. */
  readonly #underWay = new Map<string, Promise<void>>();

  constructor({ catalog, embedder, tally, signal, onEmbedded }: DocumentIndexerOptions) {
    this.#catalog = catalog;
    this.#embedder = embedder;
    this.#tally = tally;
    this.#signal = signal;
    this.#onEmbedded = onEmbedded;
  }

  /** Replaces what the catalog holds under the document's name, in one transaction. */
  async index(document: ReadDocument, stamp: string): Promise<void> {
    const { file, hash, type, text, warning } = document;
    const passages = await this.#tally.time('splitting', () =>
      splitPassages(text, type.markup, this.#embedder, this.#signal),
    );
    await this.#embed(passages);
    await this.#tally.time('storing', () =>
      this.#catalog.documents.put(
        {
          name: file.name,
          hash,
          stamp,
          size: file.size,
          mimeType: type.mimeType,
          splitter: splitterVersion,
          warning: warning ?? null,
        },
        passages,
      ),
    );
  }

  async #embed(passages: readonly Passage[]): Promise<void> {
    const known = this.#catalog.contents.known(passages.map((passage) => passage.content));
    const fresh = new Map<string, Passage>();
    const others = new Set<Promise<void>>();
    for (const passage of passages) {
      const underWay = this.#underWay.get(passage.content);
      if (underWay !== undefined) others.add(underWay);
      else if (!known.has(passage.content)) fresh.set(passage.content, passage);
    }
    this.#tally.reused += passages.length - fresh.size;
    const work = this.#embedFresh([...fresh.values()]);
    for (const content of fresh.keys()) this.#underWay.set(content, work);
    let failed = false;
    const waits = [...others].map((other) =>
      other.catch(() => {
        failed = true;
      }),
    );
    try {
      await Promise.all([work, ...waits]);
    } finally {
      for (const content of fresh.keys()) this.#underWay.delete(content);
    }
    if (failed) await this.#embedMissing(passages);
  }

  /** What another document failed to bring, perhaps by a text that this one does not have. */
  async #embedMissing(passages: readonly Passage[]): Promise<void> {
    const known = this.#catalog.contents.known(passages.map((passage) => passage.content));
    const missing = passages.filter((passage) => !known.has(passage.content));
    this.#tally.reused -= missing.length;
    await this.#embed(missing);
  }

  async #embedFresh(passages: readonly Passage[]): Promise<void> {
    for (let from = 0; from < passages.length; from += embeddingBatch) {
      const batch = passages.slice(from, from + embeddingBatch);
      const vectors = await this.#tally.time('embedding', () =>
        this.#embedder.embedDocuments(batch.map(embeddedText), { signal: this.#signal }),
      );
      const embeddings = batch.map((passage, index) => ({ id: passage.content, vector: vectors[index]! }));
      await this.#tally.time('storing', () => this.#catalog.contents.add(embeddings));
      this.#tally.embedded += batch.length;
      this.#onEmbedded(batch.length);
    }
  }
}
