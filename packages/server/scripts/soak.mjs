// biome-ignore-all lint/suspicious/noConsole: its output is the report
// Many HTTP clients on one server for some minutes: does it stay fast, right and the same size?
//   node packages/server/scripts/soak.mjs [--clients 100] [--minutes 3] [--json FILE]
// Prints figures as Markdown. Exit code 1 when it did not pass: a request failed, a session was left over, the server
// grew by more than a third, it still grew by more than 5 % of its mean a minute in the second half (runs of four
// minutes or more), or it did not end with 0.
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
//   passed      whether all was well
//   reasons     what was not, a sentence each; empty where it passed
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

/** How long the server may take to index the documents, and to answer one request about its state, in milliseconds. */
const [readyWithin, answerWithin] = [10 * 60_000, 30_000];

/** All of the cafe's: with few, every vector would soon be remembered. */
const questions = readFileSync(new URL('../../../corpus/judgments/queries.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line).text);

const server = spawn(process.execPath, [fileURLToPath(new URL('../dist/main.js', import.meta.url))], {
  env: { ...process.env, MCP_TRANSPORT: 'http', PORT: '0', LOG_LEVEL: 'info' },
  stdio: ['ignore', 'inherit', 'pipe'],
});
// Also where this ends by an error.
process.on('exit', () => server.kill());
const url = await address();
await untilReady();

const latencies = new Map();
const failures = new Map();
let sessions = 0;
/** Questions so far: every one has its turn. */
let asked = 0;
/** Ids of sessions that were ended, and of those that their clients left without a word or could not end. */
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
process.exit(figures.passed ? 0 : 1);

/** One client: sessions of about fifty requests, one after the other. */
async function converse(number) {
  for (let turn = number; Date.now() < end; turn++) {
    const client = new Client({ name: `soak-${number}`, version: '0.0.0' });
    const transport = new StreamableHTTPClientTransport(url);
    let isEnded = false;
    let sessionId;
    try {
      await client.connect(transport);
      ({ sessionId } = transport);
      sessions += 1;
      for (let k = 0; k < 50 && Date.now() < end; k++) await one(client, turn + k);
      // Every fifth goes away without a word.
      if (turn % 5 > 0) {
        await transport.terminateSession();
        isEnded = true;
      }
    } catch (error) {
      count(failures, `session: ${reason(error)}`);
    } finally {
      // Also where connecting failed after the server had made the session.
      sessionId ??= transport.sessionId;
      if (sessionId !== undefined) (isEnded ? ended : abandoned).push(sessionId);
    }
    await client.close();
  }
}

async function one(client, k) {
  const call = (name, args) => client.callTool({ name, arguments: args });
  const kinds = {
    search: () => call('search', { query: questions[asked++ % questions.length], top_k: 5 }),
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
  const reasons = whyNotPassed();
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
    passed: reasons.length === 0,
    reasons,
  };
}

/** What was not well, a sentence each. */
function whyNotPassed() {
  // Caches and the heap fill at first; from then on the size has to stay.
  const [early, last] = [sizes[3].bytes, sizes.at(-1).bytes];
  const half = sizes.slice(sizes.length >> 1);
  const growth = slope(half) / (half.reduce((sum, { bytes }) => sum + bytes, 0) / half.length);
  const failed = [...failures.values()].reduce((a, b) => a + b, 0);
  return [
    failed > 0 && `${failed} requests or sessions failed.`,
    sessionsLeft > 0 && `${sessionsLeft} sessions were left over.`,
    last > early * 1.34 && `The server grew from ${mebibytes(early)} to ${mebibytes(last)} MiB.`,
    minutes >= 4 &&
      growth > 0.05 &&
      `In the second half the server still grew by ${(100 * growth).toFixed(1)} % of its mean a minute.`,
    code !== 0 && `The server exited with ${code}.`,
  ].filter(Boolean);
}

/** Bytes a minute, by least squares. */
function slope(points) {
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / points.length;
  const [x, y] = [mean(points.map(({ seconds }) => seconds)), mean(points.map(({ bytes }) => bytes))];
  const over = mean(points.map(({ seconds, bytes }) => (seconds - x) * (bytes - y)));
  return Math.round((60 * over) / mean(points.map(({ seconds }) => (seconds - x) ** 2)));
}

/** Ends what clients did not end, and asks for every session there was: 404 says that it is gone. */
async function countSessionsLeft() {
  for (const id of abandoned) await statusOf(id, 'DELETE');
  let left = 0;
  for (const id of [...ended, ...abandoned]) if ((await statusOf(id, 'DELETE')) !== 404) left += 1;
  return left;
}

async function statusOf(id, method) {
  for (;;) {
    const { status } = await fetch(url, {
      method,
      headers: { 'mcp-session-id': id },
      signal: AbortSignal.timeout(answerWithin),
    });
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

function report({ machine, versions, settings, requests, perSecond, errors, rss, rssSlope, reasons }) {
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
  const sizes = rss.map(({ bytes }) => mebibytes(bytes)).join(', ');
  console.log(`\nMemory of the server (resident, MiB), start to end: ${sizes}`);
  console.log(`In the second half it changed by ${(rssSlope / 2 ** 20).toFixed(1)} MiB a minute.`);
  console.log(`\n${reasons.length === 0 ? 'Passed.' : `Not passed: ${reasons.join(' ')}`}`);
}

function mebibytes(bytes) {
  return (bytes / 2 ** 20).toFixed(0);
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
  const late = Date.now() + readyWithin;
  const ready = () => fetch(new URL('/readyz', url), { signal: AbortSignal.timeout(answerWithin) });
  while (!(await ready()).ok) {
    if (Date.now() > late)
      throw new Error(`The server was not ready within ${readyWithin / 60_000} minutes.`);
    await delay(500);
  }
}
