import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Embedder } from '@kettle/embedder';
import type { Corpus } from '@kettle/search';
import { findBackend } from '../backends.js';
import { checkout } from '../config/paths.js';
import { loadModel } from '../model.js';
import { counted, durationAsText } from '../text.js';
import { type Check, Problem, runChecks } from './check.js';
import { checkCorpus, checkIndexes, checkIndexFolder, checkNode, checkSqlite } from './checks.js';
import type { CommandContext } from './command-context.js';

/** `kettle doctor`: tries everything that a search needs, and says what to do about what fails. */
export async function runDoctor(context: CommandContext): Promise<number> {
  const { config } = context;
  let corpus: Corpus | undefined;
  let embedder: Embedder | undefined;
  const checks: Check[] = [
    { name: 'node', run: async () => checkNode(process.versions.node) },
    { name: 'sqlite', run: async () => checkSqlite() },
    {
      name: 'corpus',
      run: async () => {
        const found = await checkCorpus(config);
        corpus = found.corpus;
        return found.text;
      },
    },
    { name: 'index folder', run: () => checkIndexFolder(config.indexDirectory) },
    { name: 'indexes', run: () => checkIndexes(config.indexDirectory, corpus) },
    {
      name: 'model',
      run: async () => {
        const started = performance.now();
        embedder = await tryModel(context);
        const { model, dimensions } = embedder;
        return `${model}, ${dimensions} dimensions, loaded in ${durationAsText(performance.now() - started)}`;
      },
    },
    {
      name: `backend ${config.backend}`,
      run: async () => {
        if (!corpus || !embedder) return { notTried: 'it needs the corpus and the model' };
        return tryBackend(context, corpus, embedder);
      },
    },
  ];
  const failed = await runChecks(checks, (line) => process.stdout.write(`${line}\n`));
  await embedder?.close();
  process.stdout.write(failed === 0 ? 'Everything works.\n' : `${counted(failed, 'thing')} to look at.\n`);
  return failed === 0 ? 0 : 1;
}

async function tryModel({ config, log, signal }: CommandContext): Promise<Embedder> {
  try {
    const embedder = await loadModel(config, { log, signal });
    await embedder.embedQuery('Is anybody there?', { signal });
    return embedder;
  } catch (error) {
    throw new Problem(
      (error as Error).message,
      'EMBEDDING_MODEL names the model, EMBEDDING_MODEL_DIR a folder that holds it, HF_ENDPOINT a hub that can be reached.',
      { cause: error },
    );
  }
}

/**
 * Opens the backend beside the real index, not on it, and asks it something. Somebody's Chroma server is the real
 * one, so that it is only asked what leaves nothing behind.
 */
async function tryBackend(
  { config, log, signal }: CommandContext,
  corpus: Corpus,
  embedder: Embedder,
): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'kettle-doctor-'));
  try {
    const fingerprint = {
      model: embedder.fingerprint,
      dimensions: embedder.dimensions,
      metric: 'cosine' as const,
    };
    const settings = config.backendSettings;
    const { url, ...chroma } = settings.chroma;
    if (config.backend === 'chroma' && url !== undefined) {
      const { checkChroma } = await import('@kettle/vector-store-chroma');
      await checkChroma({ ...chroma, server: url, fingerprint, corpusId: corpus.id, log, signal });
      return `answers at ${url}`;
    }
    const store = await findBackend(config.backend)?.open({
      fingerprint,
      corpusId: corpus.id,
      directory,
      settings,
      log,
      signal,
    });
    try {
      await store?.query(await embedder.embedQuery('Is anybody there?'), 1, { signal });
    } finally {
      await store?.close();
    }
    return 'opens and answers';
  } catch (error) {
    throw new Problem((error as Error).message, remedyFor(config.backend), { cause: error });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function remedyFor(backend: string): string {
  const script = checkout && join(checkout, 'scripts', 'chroma-debian12.sh');
  const onDebian = script ? ` (on Debian 12: CHROMA_COMMAND="${script}")` : '';
  return backend === 'chroma'
    ? `CHROMA_URL names a server, CHROMA_COMMAND a command that starts one${onDebian}; VECTOR_BACKEND=hnsw needs neither.`
    : 'Install again with a C++ compiler at hand (`pnpm rebuild`), or choose VECTOR_BACKEND=exact, which needs no addon.';
}
