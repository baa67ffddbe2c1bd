import { readFileSync } from 'node:fs';
import {
  type Corpus,
  CorpusError,
  type IndexChange,
  type IndexStatus,
  type OpenIndexOptions,
  openIndex,
  readCorpus,
  SearchError,
  type SearchIndex,
} from '@kettle/search';
import { findBackend } from './backends.js';
import type { Config } from './config/config.js';
import { ConfigError } from './config/config-error.js';
import { isFolder, nearestExisting } from './config/paths.js';
import type { Log } from './log.js';
import { loadModel } from './model.js';
import { counted } from './text.js';

/** What all connections of one server share. */
export interface App {
  readonly config: Config;
  /** Kettle's version. */
  readonly version: string;
  readonly log: Log;
  readonly corpus: Corpus;
  /**
   * The index. The first call opens it: it loads what is heavy and begins to synchronise, so it belongs after
   * the reply to `initialize`. Rejects when the index can't be opened; the next call tries again.
   */
  index(): Promise<SearchIndex>;
  /**
   * Calls `listener` after documents of the index changed; `isFirst` while the index catches up with the folder for
   * the first time. Returns its removal. It doesn't open the index.
   */
  onChange(listener: ChangeListener): () => void;
  /**
   * Ends what the index runs: threads, servers, locks. Calls that still wait for it reject. Closing twice is
   * harmless.
   */
  close(): Promise<void>;
}

export type ChangeListener = (change: IndexChange, isFirst: boolean) => void;

/** Puts the parts together as the configuration says. Rejects with a ConfigError where there is no corpus, or a file where the index belongs. */
export async function createApp(config: Config, log: Log): Promise<App> {
  requireIndexPlace(config);
  return new LiveApp(config, log, await corpusOf(config));
}

class LiveApp implements App {
  readonly config: Config;
  readonly version = readVersion();
  readonly log: Log;
  readonly corpus: Corpus;
  readonly #listeners = new Set<ChangeListener>();
  readonly #ending = new AbortController();
  #index: Promise<SearchIndex> | undefined;

  constructor(config: Config, log: Log, corpus: Corpus) {
    this.config = config;
    this.log = log;
    this.corpus = corpus;
  }

  index(): Promise<SearchIndex> {
    this.#index ??= this.#open().catch((error: unknown) => {
      this.#index = undefined;
      throw error;
    });
    return this.#index;
  }

  onChange(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await this.#index?.then((index) => index.close()).catch(() => {});
  }

  async #open(): Promise<SearchIndex> {
    const { config, corpus, log } = this;
    if (this.#ending.signal.aborted) throw new SearchError('closed', 'The server is ending.');
    log('info', `opening the index of ${corpus.name}`, {
      directory: config.indexDirectory,
      backend: config.backend,
    });
    const index = await openIndex(indexOptions(config, corpus, log, this.#ending.signal));
    let isFirst = true;
    index.ready().then(
      () => {
        isFirst = false;
        log(...contentsOf(index.status(), corpus));
      },
      // Told by the index itself.
      () => {
        isFirst = false;
      },
    );
    index.onChange((change) => {
      for (const listener of this.#listeners) listener(change, isFirst);
    });
    return index;
  }
}

/** What was found, for whoever runs the server: a folder without one document answers nothing, for no visible reason. */
function contentsOf(
  { documents, passages, lastSync }: IndexStatus,
  corpus: Corpus,
): ['info' | 'warn', string] {
  const left = (lastSync?.skippedCount ?? 0) + (lastSync?.failed.length ?? 0);
  const more = left === 0 ? '' : `; ${counted(left, 'file')} left out, \`kettle index\` says why`;
  if (documents > 0)
    return [
      'info',
      `the index is up to date: ${counted(documents, 'document')}, ${counted(passages, 'passage')}${more}`,
    ];
  return ['warn', `there is no text, Markdown or PDF file to search in ${corpus.directory}${more}`];
}

/** The corpus of this configuration. Rejects with a ConfigError where CORPUS_DIR names none that can be read. */
export async function corpusOf({ corpusDirectory, corpusName, corpusDescription }: Config): Promise<Corpus> {
  try {
    return await readCorpus(corpusDirectory, { name: corpusName, description: corpusDescription });
  } catch (error) {
    throw error instanceof CorpusError ? new ConfigError(`CORPUS_DIR: ${error.message}`) : error;
  }
}

/**
 * That a folder is, or can be made, where the index belongs. Whether it can be written is seen, and told, when it is.
 * @throws {ConfigError} where a file stands in its place.
 */
export function requireIndexPlace({ indexDirectory }: Config): void {
  const existing = nearestExisting(indexDirectory);
  if (!isFolder(existing))
    throw new ConfigError(
      `INDEX_DIR must be a folder that can be written, not ${JSON.stringify(indexDirectory)}: ${existing} is no folder`,
    );
}

/** How the index of this configuration is opened. */
export function indexOptions(
  config: Config,
  corpus: Corpus,
  log: Log,
  signal: AbortSignal,
): OpenIndexOptions {
  const backend = findBackend(config.backend);
  if (!backend) throw new Error(`No backend is called ${config.backend}`);
  return {
    corpus,
    directory: config.indexDirectory,
    model: config.model,
    backend: backend.name,
    mode: config.searchMode,
    log,
    signal,
    loadEmbedder: (signal, onProgress) => loadModel(config, { log, signal, onProgress }),
    openStore: (context) => backend.open({ ...context, settings: config.backendSettings, log }),
  };
}

/** The version in our package.json. */
export function readVersion(): string {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
}
