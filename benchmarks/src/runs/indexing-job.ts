import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readCorpus } from '@kettle/search';
import { readJudgments } from '../corpus/judgments.js';
import type { Labels, Measurement } from '../results/results.js';
import { topK } from './depths.js';
import { openEmbedder, openLevelIndex } from './kettle.js';
import { searchOverMcp, serverEntry, serverEnvironment } from './mcp-client.js';
import { openLoop } from './open-loop.js';
import { StdioClient } from './stdio-client.js';
import type { Tell } from './tell.js';
import { files, type Prepared, readJson, type Workspace } from './workspace.js';

export interface IndexingInput {
  readonly workspace: Workspace;
  readonly backend: string;
  /** How many passages are added while questions come in. */
  readonly added: number;
}

/** Milliseconds between two pings, and between two queries: a fourth of what one index could answer. */
const pingInterval = 5;
const queryInterval = 20;
const idlePings = 100;
const idleQueries = 40;

/** What indexing in the background does to those who ask: `ping` over MCP, and the latency of a search. */
export async function measureWhileIndexing(input: IndexingInput, tell: Tell): Promise<Measurement[]> {
  const directory = await mkdtemp(join(input.workspace.directory, 'indexing-'));
  const place = { documents: join(directory, 'documents'), indexDirectory: join(directory, 'index') };
  try {
    // A copy, since documents will be added.
    await cp((await readCorpus(input.workspace.documents)).directory, place.documents, { recursive: true });
    return [...(await pings(input, place, tell)), ...(await queries(input, place, tell))];
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

interface Place {
  readonly documents: string;
  readonly indexDirectory: string;
}

/** Pings a server that builds its first index, until its first search is answered; then the idle server. */
async function pings({ backend }: IndexingInput, place: Place, tell: Tell): Promise<Measurement[]> {
  const client = new StdioClient(serverEntry, serverEnvironment({ backend, ...place }));
  try {
    await client.initialize();
    tell('pinging while a server builds its index');
    let indexing = true;
    const answered = searchOverMcp(client, 'the first question').finally(() => {
      indexing = false;
    });
    answered.catch(() => {}); // told below
    const ping = () => client.request('ping');
    const busy = await openLoop(pingInterval, ping, () => indexing);
    await answered;
    let left = idlePings;
    const idle = await openLoop(pingInterval, ping, () => --left > 0);
    return [
      { metric: 'ping', labels: { backend, depth: 'mcp-stdio', phase: 'indexing' }, runs: [busy] },
      { metric: 'ping', labels: { backend, depth: 'mcp-stdio', phase: 'idle' }, runs: [idle] },
    ];
  } finally {
    await client.close();
  }
}

/** Searches the index that the server built while documents are added to its folder, and before, with nothing to do. */
async function queries(
  { workspace, backend, added }: IndexingInput,
  place: Place,
  tell: Tell,
): Promise<Measurement[]> {
  const { queries: asked } = await readJudgments(workspace.queriesFile, workspace.qrelsFile);
  const embedder = await openEmbedder();
  tell('opening the index that was built');
  const { index } = await openLevelIndex({ workspace, backend, embedder, ...place });
  try {
    let next = 0;
    const ask = () => index.search(asked[next++ % asked.length]!.text, { topK });
    for (let i = 0; i < 10; i++) await ask();
    let left = idleQueries;
    const idle = await openLoop(queryInterval, ask, () => --left > 0);

    await addDocuments(place.documents, (await readJson<Prepared>(workspace, files.prepared)).texts, added);
    tell(`searching while ${added} passages are indexed`);
    let indexing = true;
    const synced = index.sync().finally(() => {
      indexing = false;
    });
    synced.catch(() => {}); // told below
    const busy = await openLoop(queryInterval, ask, () => indexing);
    await synced;
    const labels: Labels = { backend, depth: 'service' };
    return [
      { metric: 'query_indexing', labels: { ...labels, phase: 'indexing' }, runs: [busy] },
      { metric: 'query_indexing', labels: { ...labels, phase: 'idle' }, runs: [idle] },
    ];
  } finally {
    await index.close();
    await embedder.close();
  }
}

/** Writes documents that say what the corpus says with the words the other way round: new to the index, as long. */
async function addDocuments(directory: string, texts: readonly string[], passages: number): Promise<void> {
  const perDocument = 10;
  for (let from = 0; from < passages; from += perDocument) {
    const paragraphs = Array.from({ length: Math.min(perDocument, passages - from) }, (_, offset) =>
      texts[(from + offset) % texts.length]!.split(/\s+/).reverse().join(' '),
    );
    await writeFile(join(directory, `added-${from}.txt`), paragraphs.join('\n\n'));
  }
}
