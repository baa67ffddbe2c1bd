// biome-ignore-all lint/suspicious/noConsole: its output is the report
// Many HTTP clients on one server for some minutes: does it stay fast, right and the same size?
//   node packages/server/scripts/soak.mjs [--clients 100] [--minutes 3] [--json FILE]
// Prints figures as Markdown. Exit code 1 when a request failed, a session was left over, or the server grew by more
// than a third.
//
// FILE gets the same as one JSON object:
//   kind        "soak", version 1
//   date        start, ISO 8601
//   commit      of the checkout, with "+" where files differ from it; null where there is no git
//   machine     { cpu, cores, memoryBytes, system }
//   versions    { kettle, node }
//   settings    { clients, minutes, backend, model }
//   sessions    how many were opened
//   sessionsLeft  how many the server still held after all were ended
//   requests    [{ kind, count, p50, p95, p99 }], milliseconds as clients see them; kind "all" comes last
//   perSecond   requests answered a second
//   errors      { count, kinds: [{ message, count }] }
//   rss         [{ seconds, bytes }], resident memory of the server from start to end
//   rssSlope    bytes a minute, of the line that fits the second half of those best
//   exitCode    of the server after SIGTERM
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { cpus, release, totalmem, type } from 'node:os';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { readConfig } from '../dist/config/config.js';

const { values } = parseArgs({
  options: {
    clients: { type: 'string', default: '100' },
    minutes: { type: 'string', default: '3' },
    json: { type: 'string' },
  },
});
const clients = Number(values.clients);
const minutes = Number(values.minutes);
const duration = minutes * 60_000;
const date = new Date().toISOString();

const questions = [
  'can I bring a dog',
  'when do you open on Sunday',
  'is there anything without gluten',
  'how is the grinder cleaned',
  'lost umbrella',
  'what does a flat white cost',
];

const server = spawn(process.execPath, [fileURLToPath(new URL('../dist/main.js', import.meta.url))], {
  env: { ...process.env, MCP_TRANSPORT: 'http', PORT: '0', LOG_LEVEL: 'info' },
  stdio: ['ignore', 'inherit', 'pipe'],
});
const url = await address();
await untilReady();

const latencies = new Map();
const failures = new Map();
let sessions = 0;
/** Ids of sessions that were ended, and of those that their clients left without a word. */
const [ended, abandoned] = [[], []];
/** Resident memory of the server, [{ seconds, bytes }]. */
const sizes = [];
// Sessions are opened one after the other, as clients come in life; then all run at once.
const begin = Date.now();
const end = begin + duration;
const sampling = sample();
await Promise.all(
  Array.from({ length: clients }, (_, number) => delay(number * 5).then(() => converse(number))),
);
await sampling;
const sessionsLeft = await countSessionsLeft();
server.kill('SIGTERM');
const [code] = await once(server, 'exit');
const figures = summary();
report(figures);
if (values.json) {
  const file = resolve(process.env.INIT_CWD ?? process.cwd(), values.json);
  await writeFile(file, `${JSON.stringify(figures, null, 2)}\n`);
}
// Caches and the heap fill at first; from then on the size has to stay.
const grew = sizes.at(-1).bytes > sizes[3].bytes * 1.34;
if (grew) console.error('The server grew.');
if (sessionsLeft > 0) console.error(`${sessionsLeft} sessions were left over.`);
if (code !== 0) console.error(`The server exited with ${code}.`);
process.exit(failures.size > 0 || sessionsLeft > 0 || grew || code !== 0 ? 1 : 0);

/** One client: sessions of about fifty requests, one after the other. */
async function converse(number) {
  for (let turn = number; Date.now() < end; turn++) {
    const client = new Client({ name: `soak-${number}`, version: '0.0.0' });
    const transport = new StreamableHTTPClientTransport(url);
    try {
      await client.connect(transport);
      sessions += 1;
      for (let k = 0; k < 50 && Date.now() < end; k++) await one(client, turn + k);
      // Every fifth goes away without a word.
      const { sessionId } = transport;
      if (turn % 5 > 0) await transport.terminateSession();
      (turn % 5 > 0 ? ended : abandoned).push(sessionId);
    } catch (error) {
      count(failures, `session: ${reason(error)}`);
    }
    await client.close();
  }
}

async function one(client, k) {
  const call = (name, args) => client.callTool({ name, arguments: args });
  const kinds = {
    search: () => call('search', { query: questions[k % questions.length], top_k: 5 }),
    get_document: () => call('get_document', { name: 'faq.txt' }),
    list_documents: () => call('list_documents', {}),
    'resources/list': () => client.listResources(),
    ping: () => client.ping(),
  };
  const names = Object.keys(kinds);
  // Half of all requests are searches.
  const kind = k % 2 === 0 ? 'search' : names[1 + ((k >> 1) % (names.length - 1))];
  const started = performance.now();
  try {
    const result = await kinds[kind]();
    if (result.isError) throw new Error(result.content[0].text);
    if (!latencies.has(kind)) latencies.set(kind, []);
    latencies.get(kind).push(performance.now() - started);
  } catch (error) {
    count(failures, `${kind}: ${reason(error)}`);
  }
}

function summary() {
  const rounded = (value) => Math.round(value * 10) / 10;
  const row = (kind, list) => {
    list.sort((a, b) => a - b);
    const at = (share) => rounded(list[Math.floor(share * (list.length - 1))]);
    return { kind, count: list.length, p50: at(0.5), p95: at(0.95), p99: at(0.99) };
  };
  const all = [...latencies.values()].flat();
  const { backend, model } = readConfig(process.env);
  const packageFile = new URL('../package.json', import.meta.url);
  return {
    kind: 'soak',
    version: 1,
    date,
    commit: commit(),
    machine: {
      cpu: cpus()[0].model,
      cores: cpus().length,
      memoryBytes: totalmem(),
      system: `${type()} ${release()} ${process.arch}`,
    },
    versions: { kettle: JSON.parse(readFileSync(packageFile, 'utf8')).version, node: process.versions.node },
    settings: { clients, minutes, backend, model },
    sessions,
    sessionsLeft,
    requests: [...[...latencies].map(([kind, list]) => row(kind, list)), row('all', all)],
    perSecond: rounded(all.length / (duration / 1000)),
    errors: {
      count: [...failures.values()].reduce((a, b) => a + b, 0),
      kinds: [...failures].map(([message, count]) => ({ message, count })),
    },
    rss: sizes,
    rssSlope: slope(sizes.slice(sizes.length >> 1)),
    exitCode: code,
  };
}

/** Bytes a minute, by least squares. */
function slope(points) {
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / points.length;
  const [x, y] = [mean(points.map(({ seconds }) => seconds)), mean(points.map(({ bytes }) => bytes))];
  const over = mean(points.map(({ seconds, bytes }) => (seconds - x) * (bytes - y)));
  return Math.round((60 * over) / mean(points.map(({ seconds }) => (seconds - x) ** 2)));
}

/** Ends what clients left without a word, and asks for every session there was: 404 says that it is gone. */
async function countSessionsLeft() {
  for (const id of abandoned) await statusOf(id, 'DELETE');
  let left = 0;
  for (const id of [...ended, ...abandoned]) if ((await statusOf(id, 'DELETE')) !== 404) left += 1;
  return left;
}

async function statusOf(id, method) {
  for (;;) {
    const { status } = await fetch(url, { method, headers: { 'mcp-session-id': id } });
    if (status !== 429) return status;
    await delay(200);
  }
}

function commit() {
  const git = (...args) =>
    execFileSync('git', args, {
      cwd: import.meta.dirname,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  try {
    return `${git('rev-parse', 'HEAD').trim()}${git('status', '--porcelain', '--untracked-files=no') ? '+' : ''}`;
  } catch {
    return null;
  }
}

function report({ machine, versions, settings, requests, perSecond, errors, rss, rssSlope }) {
  console.log(
    `${settings.clients} clients, ${settings.minutes} minutes, ${machine.cores} cores, Node ${versions.node}\n`,
  );
  console.log('| request | count | p50 ms | p95 ms | p99 ms |\n| --- | ---: | ---: | ---: | ---: |');
  for (const { kind, count, p50, p95, p99 } of requests)
    console.log(`| ${kind} | ${count} | ${p50} | ${p95} | ${p99} |`);
  console.log(
    `\n${perSecond} requests a second, ${sessions} sessions (${sessionsLeft} left over), ${errors.count} errors`,
  );
  for (const { message, count } of errors.kinds) console.log(`- ${count} × ${message}`);
  const sizes = rss.map(({ bytes }) => (bytes / 2 ** 20).toFixed(0)).join(', ');
  console.log(`\nMemory of the server (resident, MiB), start to end: ${sizes}`);
  console.log(`In the second half it changed by ${(rssSlope / 2 ** 20).toFixed(1)} MiB a minute.`);
}

/** The server's resident memory, at the start and ten times until the end. */
async function sample() {
  for (let k = 0; k <= 10; k++) {
    sizes.push({ seconds: Math.round((Date.now() - begin) / 1000), bytes: await residentBytes() });
    if (k < 10) await delay(duration / 10);
  }
}

async function residentBytes() {
  const status = await readFile(`/proc/${server.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)[1]) * 1024;
}

/** What went wrong; `fetch` only says that it failed, its cause says why. */
function reason({ message, cause }) {
  return cause ? `${message} (${cause.code ?? cause.message})` : message;
}

function count(map, key) {
  map.set(key, (map.get(key) ?? 0) + 1);
}

async function address() {
  let log = '';
  for await (const chunk of server.stderr) {
    log += chunk;
    const found = /http:\/\/[\d.:[\]]+\/mcp/.exec(log)?.[0];
    if (!found) continue;
    server.stderr.pipe(process.stderr);
    return new URL(found);
  }
  throw new Error(`The server ended: ${log}`);
}

async function untilReady() {
  while (!(await fetch(new URL('/readyz', url))).ok) await delay(500);
}
