import type { SearchMode } from '@kettle/search';
import { vectorAt } from '../corpus/geometry.js';
import { type Judgments, type Query, readJudgments } from '../corpus/judgments.js';
import type { Plan } from '../plan.js';
import { seededRandom, shuffled } from '../random.js';
import type { Absence, Labels, Measurement } from '../results/results.js';
import { floorMode } from '../targets.js';
import { timedBuild } from './build.js';
import { type CrowdOptions, measureCrowd } from './crowd.js';
import { bareDepth, type Depth, mcpDepth, serviceDepth, vectorDepth } from './depths.js';
import { judge, recallOnCorpus } from './judge.js';
import { countEmbedded, openEmbedder, openLevelIndex, wrapEmbedder } from './kettle.js';
import { measureLatency } from './latency.js';
import { type McpClient, serverEntry, serverEnvironment } from './mcp-client.js';
import { startHttpServer } from './mcp-http.js';
import { diskUsage, residentMemory, timed } from './resources.js';
import { StdioClient } from './stdio-client.js';
import type { Tell } from './tell.js';
import { files, type Prepared, readJson, readVectors, type Workspace } from './workspace.js';

export interface CorpusInput {
  readonly workspace: Workspace;
  /** A backend of the registry. */
  readonly backend: string;
  /** Name in the results. */
  readonly contender: string;
  /** Unset: the backend's own row, in the mode that users get, at every depth. Set: this mode, and its floor. */
  readonly mode?: SearchMode;
  /** Most questions to time. */
  readonly questions: number;
  readonly repetition: number;
  /** Whether to ask over HTTP too. @default false */
  readonly http?: boolean;
  /** An index that {@link buildIndex} made in another process, or an empty folder for it to use. */
  readonly indexDirectory: string;
  /** Many clients at once, over these depths, when each has been asked alone. */
  readonly crowd?: Omit<Plan['concurrency'], 'backends'> & { readonly depths: readonly string[] };
}

/** Measurements, and what could not be measured. */
export interface Outcome {
  readonly measurements: Measurement[];
  readonly absences: Absence[];
}

/** Builds an index of the corpus in an empty folder. The model is loaded before the clock starts. */
export async function buildIndex(input: CorpusInput, tell: Tell): Promise<Measurement[]> {
  const labels = await labelsOf(input);
  tell('loading the model');
  const embedder = await openEmbedder();
  try {
    tell('building the index');
    const { index, split, total } = await timedBuild({ ...input, embedder });
    await index.close();
    return [
      { metric: 'build_total', labels, runs: [[total]] },
      { metric: 'build_reading', labels, runs: [[split.rest]] },
      { metric: 'build_embedding', labels, runs: [[split.embedding]] },
      { metric: 'build_storing', labels, runs: [[split.storing]] },
      { metric: 'disk', labels, runs: [[await diskUsage(input.indexDirectory)]] },
    ];
  } finally {
    await embedder.close();
  }
}

/** Starts again on a built index, asks everything at every depth, and judges the answers. */
export async function queryIndex(input: CorpusInput, tell: Tell): Promise<Outcome> {
  const { workspace, mode } = input;
  const labels = await labelsOf(input);
  const judgments = await readJudgments(workspace.queriesFile, workspace.qrelsFile);
  const vectors = await queryVectors(workspace, judgments);
  const embedder = await openEmbedder();
  const { counting, embedded } = countEmbedded(embedder);
  /** Instead of the model, when the clock no longer runs. */
  const known = new Map<string, Float32Array>();
  const recalling = wrapEmbedder(counting, {
    embedQuery: async (text, options) => known.get(text) ?? counting.embedQuery(text, options),
  });
  try {
    tell('starting again');
    const restart = await timed(() => openLevelIndex({ ...input, embedder: recalling }));
    const { index, store } = restart.value;
    try {
      const depths = [bareDepth(embedder, store()), serviceDepth(index)];
      if (mode === undefined) depths.unshift(vectorDepth(store(), vectors));
      // Words are looked up without a model: its floor is another one.
      if (mode === 'keyword') depths.shift();
      const random = seededRandom(workspace.seed + input.repetition);
      const queries = shuffled(judgments.queries, random).slice(0, input.questions);
      const { servers, absences } = await startServers(input, queries[0]!, tell);
      try {
        tell('asking');
        const all = [...depths, ...servers.map(({ depth }) => depth)];
        const latency = await measureLatency(all, { labels, queries });
        const crowds = await measureCrowds(input, servers, { labels, queries }, tell);
        const pings = mode === floorMode ? await pingAlone(input, servers, labels) : [];
        await closeAll(servers);
        tell('judging the answers');
        for (const { id, text } of judgments.queries) known.set(text, vectors.get(id)!);
        return {
          absences: [...absences, ...crowds.absences],
          measurements: [
            { metric: 'restart', labels, runs: [[restart.milliseconds]] },
            { metric: 'restart_embedded', labels, runs: [[embedded()]] },
            ...latency,
            ...crowds.measurements,
            ...pings,
            { metric: 'memory', labels, runs: [[await residentMemory()]] },
            ...(input.repetition === 0 ? await judge(index, judgments, labels) : []),
            ...(input.repetition === 0 && mode === undefined
              ? [await recallOnCorpus(workspace, store(), vectors, labels)]
              : []),
          ],
        };
      } finally {
        await closeAll(servers);
      }
    } finally {
      await index.close();
    }
  } finally {
    await embedder.close();
  }
}

async function labelsOf({ workspace, contender }: CorpusInput): Promise<Labels> {
  const { texts } = await readJson<Prepared>(workspace, files.prepared);
  return { backend: contender, passages: texts.length };
}

interface RunningServer {
  readonly client: McpClient;
  readonly depth: Depth;
  /** One more client: another request under way on stdio, another session over HTTP. */
  readonly connect: () => Promise<Depth>;
}

/**
 * One server on stdio and one on HTTP over the same index, each started, asked `first` and timed from its start to that
 * answer. One that can't be had costs its own depth only.
 */
async function startServers(
  { workspace, backend, contender, mode, indexDirectory, http }: CorpusInput,
  first: Query,
  tell: Tell,
): Promise<{ servers: RunningServer[]; absences: Absence[] }> {
  const servers: RunningServer[] = [];
  const absences: Absence[] = [];
  const settings = {
    backend,
    documents: workspace.documents,
    indexDirectory,
    ...(mode !== undefined && { more: { SEARCH_MODE: mode } }),
  };
  const starts: Record<'mcp-stdio' | 'mcp-http', () => Promise<McpClient>> = {
    'mcp-stdio': async () => new StdioClient(serverEntry, serverEnvironment(settings)),
    'mcp-http': () => startHttpServer(settings),
  };
  for (const name of http ? (['mcp-stdio', 'mcp-http'] as const) : (['mcp-stdio'] as const)) {
    tell(`starting a server for ${name}`);
    let client: McpClient | undefined;
    try {
      const started = performance.now();
      client = await starts[name]();
      await client.initialize();
      const depth = mcpDepth(name, client);
      await depth.ask(first);
      const cold = performance.now() - started;
      const connected = client;
      const connect = async () => mcpDepth(name, (await connected.another?.()) ?? connected);
      servers.push({ client, depth: { ...depth, cold }, connect });
    } catch (error) {
      await client?.close();
      absences.push({ labels: { backend: contender, depth: name }, reason: (error as Error).message });
    }
  }
  return { servers, absences };
}

/** Many clients at once on the servers that have just answered one. What fails costs its own depth only. */
async function measureCrowds(
  { crowd, contender }: CorpusInput,
  servers: readonly RunningServer[],
  asked: Pick<CrowdOptions, 'labels' | 'queries'>,
  tell: Tell,
): Promise<Outcome> {
  const measurements: Measurement[] = [];
  const absences: Absence[] = [];
  for (const { depth, connect } of servers) {
    if (!crowd?.depths.includes(depth.name)) continue;
    try {
      measurements.push(...(await measureCrowd({ ...crowd, ...asked }, connect, tell)));
    } catch (error) {
      const reason = `many clients: ${(error as Error).message}`;
      absences.push({ labels: { backend: contender, depth: depth.name }, reason });
    }
  }
  return { measurements, absences };
}

/** What the way to the server and back costs with no search in it. */
async function pingAlone(
  { questions }: CorpusInput,
  servers: readonly RunningServer[],
  labels: Labels,
): Promise<Measurement[]> {
  const measured: Measurement[] = [];
  for (const { client, depth } of servers) {
    const times: number[] = [];
    for (let i = 0; i < questions; i++) times.push((await timed(() => client.request('ping'))).milliseconds);
    measured.push({
      metric: 'ping',
      labels: { ...labels, depth: depth.name, phase: 'alone' },
      runs: [times],
    });
  }
  return measured;
}

async function closeAll(servers: readonly RunningServer[]): Promise<void> {
  await Promise.all(servers.map(({ client }) => client.close()));
}

/** The vectors of the questions, by id. */
async function queryVectors(
  workspace: Workspace,
  { queries }: Judgments,
): Promise<Map<string, Float32Array>> {
  const { fingerprint } = await readJson<Prepared>(workspace, files.prepared);
  const vectors = await readVectors(workspace, files.queries, fingerprint.dimensions);
  return new Map(queries.map(({ id }, index) => [id, vectorAt(vectors, index)]));
}
