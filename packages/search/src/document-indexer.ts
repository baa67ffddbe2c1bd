import type { Embedder } from '@kettle/embedder';
import type { Catalog } from './catalog/catalog.js';
import type { CatalogWriter } from './catalog/catalog-writer.js';
import { embeddedText, type Passage, splitPassages } from './passages/split-passages.js';
import type { ReadDocument } from './reading/read-document.js';
import { rulesVersion } from './rules-version.js';
import type { SyncTally } from './sync-tally.js';
import { turns } from './turns.js';

/** Passages that are embedded and saved at a time: what a kill can cost. */
const embeddingBatch = 64;
/** Ids that are looked up in one go: more would keep the event loop. */
const idsAtOnce = 2000;

export interface DocumentIndexerOptions {
  readonly catalog: Catalog;
  readonly writer: CatalogWriter;
  readonly embedder: Embedder;
  readonly tally: SyncTally;
  readonly signal: AbortSignal;
  readonly onEmbedded: (count: number) => void;
}

/** Brings single documents into the catalog: splits them, embeds what has no embedding yet, and saves them whole. */
export class DocumentIndexer {
  readonly #catalog: Catalog;
  readonly #writer: CatalogWriter;
  readonly #embedder: Embedder;
  readonly #tally: SyncTally;
  readonly #signal: AbortSignal;
  readonly #onEmbedded: (count: number) => void;
  /** Embeddings under way: the same text in two documents is embedded once. */
  readonly #underWay = new Map<string, Promise<void>>();

  constructor({ catalog, writer, embedder, tally, signal, onEmbedded }: DocumentIndexerOptions) {
    this.#catalog = catalog;
    this.#writer = writer;
    this.#embedder = embedder;
    this.#tally = tally;
    this.#signal = signal;
    this.#onEmbedded = onEmbedded;
  }

  /**
   * Replaces what the catalog holds under the document's name, in one transaction. `onShare` is told, from 0 to 1,
   * which share of the document's passages has its embedding.
   */
  async index(document: ReadDocument, stamp: string, onShare: (share: number) => void): Promise<void> {
    const { file, hash, type, text, warning } = document;
    const passages = await this.#tally.time('splitting', () =>
      splitPassages(text, type.markup, this.#embedder, this.#signal),
    );
    await this.#embed(passages, onShare);
    await this.#tally.time('storing', () =>
      this.#writer.put(
        {
          name: file.name,
          hash,
          stamp,
          size: file.size,
          mimeType: type.mimeType,
          splitter: rulesVersion(type),
          warning: warning ?? null,
        },
        passages,
      ),
    );
  }

  async #embed(passages: readonly Passage[], onShare: (share: number) => void): Promise<void> {
    const fresh = new Map<string, Passage>();
    const others = new Set<Promise<void>>();
    const work: Promise<void> = Promise.resolve().then(async () => {
      for (let from = 0; from < passages.length; from += idsAtOnce) {
        if (turns.isDue) await turns.take();
        const some = passages.slice(from, from + idsAtOnce);
        const known = this.#catalog.contents.known(some.map((passage) => passage.content));
        for (const passage of some) {
          const underWay = this.#underWay.get(passage.content);
          if (underWay !== undefined) others.add(underWay);
          else if (!known.has(passage.content)) {
            fresh.set(passage.content, passage);
            this.#underWay.set(passage.content, work);
          }
        }
      }
      this.#tally.reused += passages.length - fresh.size;
      await this.#embedFresh([...fresh.values()], (left) => onShare(1 - left / passages.length));
    });
    try {
      await work;
    } finally {
      for (const content of fresh.keys()) this.#underWay.delete(content);
    }
    const results = await Promise.allSettled(others);
    if (results.every(({ status }) => status === 'fulfilled')) return;
    // What another document failed to bring, perhaps by a text that this one does not have.
    this.#tally.reused -= passages.length;
    await this.#embed(passages, onShare);
  }

  async #embedFresh(passages: readonly Passage[], onLeft: (left: number) => void): Promise<void> {
    for (let from = 0; from < passages.length; from += embeddingBatch) {
      const batch = passages.slice(from, from + embeddingBatch);
      const vectors = await this.#tally.time('embedding', () =>
        this.#embedder.embedDocuments(batch.map(embeddedText), { signal: this.#signal }),
      );
      const embeddings = batch.map((passage, index) => ({ id: passage.content, vector: vectors[index]! }));
      await this.#tally.time('storing', () => this.#writer.addEmbeddings(embeddings));
      this.#tally.embedded += batch.length;
      this.#onEmbedded(batch.length);
      onLeft(passages.length - from - batch.length);
    }
  }
}
