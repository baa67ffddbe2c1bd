import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type OpenIndexOptions, openIndex, readCorpus, type SearchIndex } from '@kettle/search';
import { ExactVectorStore } from '@kettle/vector-store';
import { FakeEmbedder } from './fake-embedder.mjs';

/** A folder of documents and a folder for its index, with everything opened on them, removed at the end. */
export class Workspace {
  readonly root: string;
  readonly documents: string;
  readonly index: string;
  readonly #opened: SearchIndex[] = [];

  static async create(): Promise<Workspace> {
    const workspace = new Workspace(await mkdtemp(join(tmpdir(), 'kettle-search-')));
    await mkdir(workspace.documents);
    return workspace;
  }

  private constructor(root: string) {
    this.root = root;
    this.documents = join(root, 'documents');
    this.index = join(root, 'index');
  }

  path(name: string): string {
    return join(this.documents, name);
  }

  async write(name: string, content: string | Uint8Array): Promise<void> {
    await mkdir(dirname(this.path(name)), { recursive: true });
    await writeFile(this.path(name), content);
  }

  /** Opens the index with a fake model and the exact store, not watching, unless told otherwise. */
  async open(options: Partial<OpenIndexOptions> & { embedder?: FakeEmbedder } = {}): Promise<SearchIndex> {
    const { embedder = new FakeEmbedder(), ...rest } = options;
    const index = await openIndex({
      corpus: await readCorpus(this.documents),
      directory: this.index,
      model: 'test/words',
      loadEmbedder: async () => embedder,
      openStore: async ({ fingerprint }) => new ExactVectorStore(fingerprint),
      watch: false,
      ...rest,
    });
    this.#opened.push(index);
    return index;
  }

  async openReady(
    options: Partial<OpenIndexOptions> & { embedder?: FakeEmbedder } = {},
  ): Promise<SearchIndex> {
    const index = await this.open(options);
    await index.ready();
    return index;
  }

  async remove(): Promise<void> {
    await Promise.all(this.#opened.map((index) => index.close()));
    await rm(this.root, { recursive: true, force: true });
  }
}

/** What an index says about its folder, in a form to compare. */
export async function contentsOf(index: SearchIndex, queries: readonly string[]): Promise<unknown> {
  const documents = (await index.listDocuments()).map(({ name, passages }) => ({ name, passages }));
  const hits = [];
  for (const query of queries) hits.push(await index.search(query, { topK: 10_000 }));
  const { documents: documentCount, passages } = index.status();
  return { documents, documentCount, passages, hits };
}
