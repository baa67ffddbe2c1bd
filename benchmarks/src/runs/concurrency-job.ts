import { readJudgments } from '../corpus/judgments.js';
import { seededRandom, shuffled } from '../random.js';
import type { Absence, Measurement } from '../results/results.js';
import type { Outcome } from './corpus-job.js';
import { type Depth, mcpDepth } from './depths.js';
import { serverEntry, serverEnvironment } from './mcp-client.js';
import { launchHttpServer } from './mcp-http.js';
import { StdioClient } from './stdio-client.js';
import type { Tell } from './tell.js';
import { files, type Prepared, readJson, type Workspace } from './workspace.js';

export interface ConcurrencyInput {
  readonly workspace: Workspace;
  readonly backend: string;
  /** A built index. */
  readonly indexDirectory: string;
  readonly depths: readonly ('mcp-stdio' | 'mcp-http')[];
  /** Most questions that the clients ask, over and over. */
  readonly questions: number;
  readonly clients: readonly number[];
  /** Windows for each number of clients, each one sample, and their length in milliseconds. */
  readonly windows: number;
  readonly window: number;
}

/**
 * Queries per second while a number of clients each ask one question after the other (a closed loop): as requests under
 * way on one stdio connection, and as sessions of one HTTP server.
 */
export async function measureConcurrency(input: ConcurrencyInput, tell: Tell): Promise<Outcome> {
  const { workspace, backend, indexDirectory } = input;
  const settings = { backend, documents: workspace.documents, indexDirectory };
  const measurements: Measurement[] = [];
  const absences: Absence[] = [];
  for (const depth of input.depths) {
    try {
      measurements.push(...(depth === 'mcp-stdio' ? await overStdio() : await overHttp()));
    } catch (error) {
      absences.push({ labels: { backend, depth }, reason: (error as Error).message });
    }
  }
  return { measurements, absences };

  async function overStdio(): Promise<Measurement[]> {
    const client = new StdioClient(serverEntry, serverEnvironment(settings));
    try {
      await client.initialize();
      return await sweep(input, tell, async () => mcpDepth('mcp-stdio', client));
    } finally {
      await client.close();
    }
  }

  async function overHttp(): Promise<Measurement[]> {
    const server = await launchHttpServer(settings);
    try {
      return await sweep(input, tell, async () => {
        const client = server.connect();
        await client.initialize();
        return mcpDepth('mcp-http', client);
      });
    } finally {
      await server.close();
    }
  }
}

/** @param connect gives what one more client asks */
async function sweep(
  { workspace, backend, questions, clients, windows, window }: ConcurrencyInput,
  tell: Tell,
  connect: () => Promise<Depth>,
): Promise<Measurement[]> {
  const all = (await readJudgments(workspace.queriesFile, workspace.qrelsFile)).queries;
  const queries = shuffled(all, seededRandom(workspace.seed)).slice(0, questions);
  const { texts } = await readJson<Prepared>(workspace, files.prepared);
  const connected: Depth[] = [];
  const measured: Measurement[] = [];
  for (const count of clients) {
    while (connected.length < count) connected.push(await connect());
    const depth = connected[0]!.name;
    // Searches remember words and vectors: without this, only the first number of clients would find nothing remembered.
    if (measured.length === 0) for (const query of queries) await connected[0]!.ask(query);
    for (const query of queries.slice(0, 5)) await connected.at(-1)!.ask(query);
    tell(`${count} clients at once, ${depth}`);
    let next = 0;
    const times: number[] = [];
    const answered = new Array<number>(windows).fill(0);
    const start = performance.now();
    await Promise.all(
      connected.map(async (client) => {
        while (performance.now() - start < windows * window) {
          const asked = performance.now();
          await client.ask(queries[next++ % queries.length]!);
          const now = performance.now();
          times.push(now - asked);
          const place = Math.floor((now - start) / window);
          if (place < windows) answered[place]!++;
        }
      }),
    );
    const perSecond = answered.map((count) => (1000 * count) / window);
    const labels = { backend, depth, passages: texts.length, clients: count };
    measured.push(
      { metric: 'throughput', labels, runs: [perSecond] },
      { metric: 'query', labels: { ...labels, state: 'warm' }, runs: [times] },
    );
  }
  return measured;
}
