import { type Embedder, EmbedderError, type EmbedderErrorCode } from '@kettle/embedder';
import type { Catalog } from './catalog/catalog.js';
import type { CatalogWriter } from './catalog/catalog-writer.js';
import type { DocumentRow } from './catalog/document-table.js';
import { DocumentIndexer } from './document-indexer.js';
import { SearchError } from './errors.js';
import type { IndexProgress } from './index-status.js';
import { Pace, type PaceUnit } from './pace.js';
import { fileTypeOf } from './reading/file-types.js';
import { NotADocument } from './reading/not-a-document.js';
import { FileInFlux, type ReadDocument, readDocument } from './reading/read-document.js';
import { TookTooLong } from './reading/took-too-long.js';
import { type FolderListing, type FoundFile, isGone, reasonOf, walkFolder } from './reading/walk-folder.js';
import { type Refusal, type Refusals, refusalOf, refusalsAsText, refusalsFrom, stands } from './refusals.js';
import { rulesOf, rulesVersion } from './rules-version.js';
import { severalAtOnce } from './several-at-once.js';
import type { SyncReport } from './sync-report.js';
import { SyncTally } from './sync-tally.js';
import { trustedStamp } from './trusted-stamp.js';

export interface SynchroniseOptions {
  readonly directory: string;
  readonly catalog: Catalog;
  readonly writer: CatalogWriter;
  readonly embedder: Embedder;
  /** Read every file, also untouched ones. */
  readonly force: boolean;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: IndexProgress) => void;
  /** The catalog has changed; more may follow. */
  readonly onCommit: () => void;
  /** So many passages went through the model. */
  readonly onEmbedded: (count: number) => void;
}

export interface SyncOutcome {
  readonly report: SyncReport;
  readonly listing: FolderListing;
  /** Some files could not be read, or changed while they were: look again soon. */
  readonly incomplete: boolean;
}

const removalBatch = 20;
/** Bytes that a document costs beside its own, for the estimate of time: reading, saving, a passage that is not full. */
const costInBytes = 500;
/** Milliseconds after which it is noted that the catalog is level still. */
const syncedAtEvery = 60_000;
/** The model refuses this text, and will go on with others. */
const refusals: ReadonlySet<EmbedderErrorCode> = new Set(['text_too_long', 'invalid_text']);

/**
 * Makes the catalog say what the folder says. Each document goes in or out in one transaction, so an end at any
 * moment leaves whole documents, and the next run does the rest. A file that can't be read keeps its old state; a
 * folder that can't be read changes nothing.
 */
export async function synchronise(options: SynchroniseOptions): Promise<SyncOutcome> {
  const { directory, signal } = options;
  const tally = new SyncTally();
  const listing = await tally.time('reading', () => walkFolder(directory, signal));
  const run = new SyncRun(options, listing, tally);
  const { catalog, writer } = options;
  try {
    await run.run();
  } catch (error) {
    // What was found out may have taken long. Where this fails too, the first failure tells more.
    const keep = async () => writer.set(catalog.news({ refused: refusalsAsText(run.refusedSoFar) }));
    await keep().catch(() => {});
    throw error;
  }
  await writer.tidy();
  const news = catalog.news({ corpus_device: listing.device, refused: refusalsAsText(run.refused) });
  const isDue = tally.hasChanges || Object.keys(news).length > 0 || isOld(catalog.get('synced_at'));
  if (isDue) await writer.set({ ...news, synced_at: new Date().toISOString() });
  return { report: tally.report(catalog.documents.counts().passages), listing, incomplete: tally.incomplete };
}

function isOld(syncedAt: string | undefined): boolean {
  return syncedAt === undefined || Math.abs(Date.now() - Date.parse(syncedAt)) >= syncedAtEvery;
}

class SyncRun {
  readonly #options: SynchroniseOptions;
  readonly #listing: FolderListing;
  readonly #tally: SyncTally;
  readonly #indexer: DocumentIndexer;
  /** What the catalog holds, by name. */
  readonly #known: ReadonlyMap<string, DocumentRow>;
  /** Documents whose files are not there any more, by name. */
  readonly #gone = new Map<string, DocumentRow>();
  /** What former runs refused. */
  readonly #formerly: Refusals;
  /** Files that are no documents. */
  readonly refused = new Map<string, Refusal>();

  constructor(options: SynchroniseOptions, listing: FolderListing, tally: SyncTally) {
    const { catalog, writer, embedder, signal, onEmbedded } = options;
    this.#options = options;
    this.#listing = listing;
    this.#tally = tally;
    this.#indexer = new DocumentIndexer({ catalog, writer, embedder, tally, signal, onEmbedded });
    this.#known = new Map(catalog.documents.all().map((row) => [row.name, row]));
    this.#formerly = refusalsFrom(catalog.get('refused'));
  }

  /** Of a run that did not get done: former runs may be right about the other files. */
  get refusedSoFar(): Refusals {
    return new Map([...this.#formerly, ...this.refused]);
  }

  async run(): Promise<void> {
    const { skipped, failed } = this.#listing;
    this.#checkMounted();
    for (const notice of skipped) this.#tally.skip(notice);
    for (const notice of failed) this.#tally.fail(notice);
    this.#findGone();
    const files = this.#listing.files.filter((file) => !this.#isRefused(file));
    const work = files.filter((file) => !this.#isUntouched(file));
    this.#tally.unchanged += files.length - work.length;

    // Renames first, then removals: what is deleted should not be found while the rest is embedded.
    const pace = this.#paceOf(work);
    const sizes = new Set([...this.#gone.values()].map((row) => row.size));
    const [maybeRenamed, rest] = partition(
      work,
      (file) => !this.#known.has(file.name) && sizes.has(file.size),
    );
    const notRenamed = maybeRenamed.length === 0 ? [] : await this.#rename(maybeRenamed, pace);
    await this.#removeAll([...this.#gone.values()]);
    await severalAtOnce([...notRenamed, ...rest], this.#options.signal, async (file) => {
      const unit = pace.begin(weightOf(file));
      await this.#take(file, unit);
      unit.end();
    });
  }

  #paceOf(work: readonly FoundFile[]): Pace {
    const tally = this.#tally;
    return new Pace({
      phase: 'embedding',
      label: 'Indexing documents',
      total: work.length,
      totalWeight: work.reduce((sum, file) => sum + weightOf(file), 0),
      detail: () => (tally.embedded === 0 ? '' : `${tally.embedded} passages embedded`),
      report: this.#options.onProgress,
    });
  }

  /** An empty folder on another device than before is where a volume used to be mounted. */
  #checkMounted(): void {
    const before = this.#options.catalog.get('corpus_device');
    const empty = this.#listing.files.length === 0 && this.#known.size > 0;
    if (!empty || before === undefined || before === this.#listing.device) return;
    throw new SearchError(
      'folder_unavailable',
      `The corpus folder ${this.#options.directory} is empty and on another volume than before. Is its volume mounted? The index stays as it was.`,
      { retryable: true },
    );
  }

  #findGone(): void {
    const there = new Set(this.#listing.files.map((file) => file.name));
    const unknown = this.#listing.failed.map((notice) => notice.name);
    for (const [name, row] of this.#known) {
      if (there.has(name)) continue;
      if (unknown.some((path) => (path.endsWith('/') ? name.startsWith(path) : name === path))) continue;
      this.#gone.set(name, row);
    }
  }

  #isUntouched(file: FoundFile): boolean {
    const row = this.#known.get(file.name);
    if (row?.stamp !== file.stamp || row.splitter !== rulesOf(file.name) || this.#options.force) return false;
    // What is read again is warned of then.
    if (row.warning) this.#tally.warn({ name: row.name, reason: row.warning });
    return true;
  }

  #isRefused(file: FoundFile): boolean {
    const refusal = this.#formerly.get(file.name);
    if (this.#options.force || !stands(refusal, file)) return false;
    this.#refuse(file, refusal);
    return true;
  }

  #refuse(file: FoundFile, refusal: Refusal): void {
    this.#tally.skip({ name: file.name, reason: refusal.reason });
    this.refused.set(file.name, refusal);
  }

  /** Gives new names to documents that moved. Returns the files that are something else. */
  async #rename(files: readonly FoundFile[], pace: Pace): Promise<FoundFile[]> {
    const rest: FoundFile[] = [];
    const { writer, signal } = this.#options;
    await severalAtOnce(files, signal, async (file) => {
      const startedAt = Date.now();
      const document = await this.#read(file);
      if (document === undefined) return pace.begin(weightOf(file)).end();
      const former = [...this.#gone.values()].find((row) => isSame(row, document));
      if (former === undefined) {
        rest.push(file);
        return;
      }
      this.#gone.delete(former.name);
      await this.#tally.time('storing', () =>
        writer.rename(former.id, file.name, trustedStamp(document.file, startedAt)),
      );
      this.#tally.renamed++;
      this.#options.onCommit();
      pace.begin(weightOf(file)).end();
    });
    return rest;
  }

  async #take(file: FoundFile, unit: PaceUnit): Promise<void> {
    const startedAt = Date.now();
    const document = await this.#read(file);
    if (document === undefined) return;
    const { writer, onCommit } = this.#options;
    const row = this.#known.get(file.name);
    const stamp = trustedStamp(document.file, startedAt);
    if (document.warning) this.#tally.warn({ name: file.name, reason: document.warning });
    if (row !== undefined && isSame(row, document)) {
      if (row.stamp !== stamp) await writer.touch(row.id, stamp);
      this.#tally.unchanged++;
      return;
    }
    try {
      await this.#indexer.index(document, stamp, unit.reach);
    } catch (error) {
      if (!EmbedderError.isInstance(error) || !refusals.has(error.code)) throw error;
      this.#tally.fail({ name: file.name, reason: `can't be embedded: ${error.message}` });
      return;
    }
    if (row === undefined) this.#tally.added++;
    else if (row.hash === document.hash) this.#tally.unchanged++;
    else this.#tally.changed++;
    onCommit();
  }

  /** The file's content; without one the reason is noted, and what is no document any more is removed. */
  async #read(file: FoundFile): Promise<ReadDocument | undefined> {
    const { directory, signal } = this.#options;
    const startedAt = Date.now();
    try {
      return await this.#tally.time('reading', () => readDocument(directory, file.name, { signal }));
    } catch (error) {
      signal.throwIfAborted();
      const row = this.#known.get(file.name);
      if (error instanceof NotADocument || error instanceof TookTooLong) {
        this.#refuse(file, refusalOf(file, startedAt, error, this.#formerly.get(file.name)));
        // What took too long may go well another time: its old state stays.
        if (row !== undefined && error instanceof NotADocument) await this.#remove([row]);
      } else if (isGone(error)) {
        if (row !== undefined) await this.#remove([row]);
      } else {
        const reason = error instanceof FileInFlux ? 'changes while it is read' : reasonOf(error);
        this.#tally.fail({ name: file.name, reason });
      }
      return undefined;
    }
  }

  /** In short transactions, so that other writes get their turn. */
  async #removeAll(rows: readonly DocumentRow[]): Promise<void> {
    for (let from = 0; from < rows.length; from += removalBatch) {
      await this.#remove(rows.slice(from, from + removalBatch));
    }
  }

  async #remove(rows: readonly DocumentRow[]): Promise<void> {
    await this.#options.writer.remove(rows.map((row) => row.id));
    this.#tally.removed += rows.length;
    this.#options.onCommit();
  }
}

function isSame(row: DocumentRow, document: ReadDocument): boolean {
  return (
    row.hash === document.hash &&
    row.splitter === rulesVersion(document.type) &&
    row.mimeType === document.type.mimeType &&
    fileTypeOf(row.name) === document.type
  );
}

function weightOf(file: FoundFile): number {
  return file.size + costInBytes;
}

function partition<T>(items: readonly T[], test: (item: T) => boolean): [T[], T[]] {
  return [items.filter((item) => test(item)), items.filter((item) => !test(item))];
}
