import { readJudgments } from '../corpus/judgments.js';
import type { Absence, Measurement } from '../results/results.js';
import type { Outcome } from './corpus-job.js';
import { type Depth, mcpDepth, serviceDepth } from './depths.js';
import type { Tell } from './jobs.js';
import { openEmbedder, openLevelIndex } from './kettle.js';
import { serverEntry, serverEnvironment } from './mcp-client.js';
import { launchHttpServer } from './mcp-http.js';
import { StdioClient } from './stdio-client.js';
import { files, type Prepared, readJson, type Workspace } from './workspace.js';

export interface ConcurrencyInput {
  readonly workspace: Workspace;
  readonly backend: string;
  /** A built index. */
  readonly indexDirectory: string;
  readonly clients: readonly number[];
  /** Milliseconds for each number of clients. */
  readonly window: number;
}

/**
 * Queries per second while a number of clients each ask one question after the other: on one SearchIndex in this
 * process, as requests under way on one stdio connection, and as sessions of one HTTP server.
 */
export async function measureConcurrency(input: ConcurrencyInput, tell: Tell): Promise<Outcome> {
  const { workspace, backend, indexDirectory } = input;
  const settings = { backend, documents: workspace.documents, indexDirectory };
  const measurements: Measurement[] = [];
  const absences: Absence[] = [];
  const attempt = async (depth: Depth['name'], work: () => Promise<Measurement[]>) => {
    try {
      measurements.push(...(await work()));
    } catch (error) {
      absences.push({ labels: { backend, depth }, reason: (error as Error).message });
    }
  };
  await attempt('service', async () => {
    const embedder = await openEmbedder();
    const { index } = await openLevelIndex({ ...input, embedder });
    try {
      return await sweep(input, tell, async () => serviceDepth(index));
    } finally {
      await index.close();
      await embedder.close();
    }
  });
  await attempt('mcp-stdio', async () => {
    const client = new StdioClient(serverEntry, serverEnvironment(settings));
    try {
      await client.initialize();
      return await sweep(input, tell, async () => mcpDepth('mcp-stdio', client));
    } finally {
      await client.close();
    }
  });
  await attempt('mcp-http', async () => {
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
  });
  return { measurements, absences };
}

/** @param connect gives what one more client asks */
async function sweep(
  { workspace, backend, clients, window }: ConcurrencyInput,
  tell: Tell,
  connect: () => Promise<Depth>,
): Promise<Measurement[]> {
  const { queries } = await readJudgments(workspace.queriesFile, workspace.qrelsFile);
  const { texts } = await readJson<Prepared>(workspace, files.prepared);
  const connected: Depth[] = [];
  const measured: Measurement[] = [];
  for (const count of clients) {
    while (connected.length < count) connected.push(await connect());
    const depth = connected[0]!.name;
    for (const query of queries.slice(0, 5)) await connected.at(-1)!.ask(query);
    tell(`${count} clients at once, ${depth}`);
    let next = 0;
    const times: number[] = [];
    const start = performance.now();
    await Promise.all(
      connected.map(async (client) => {
        while (performance.now() - start < window) {
          const asked = performance.now();
          await client.ask(queries[next++ % queries.length]!);
          times.push(performance.now() - asked);
        }
      }),
    );
    const perSecond = times.length / ((performance.now() - start) / 1000);
    const labels = { backend, depth, passages: texts.length, clients: count };
    measured.push(
      { metric: 'throughput', labels, runs: [[perSecond]] },
      { metric: 'query', labels: { ...labels, state: 'warm' }, runs: [times] },
    );
  }
  return measured;
}
