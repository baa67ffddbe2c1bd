// biome-ignore-all lint/suspicious/noConsole: its output is the report
// Many HTTP clients on one server for some minutes: does it stay fast, right and the same size?
//   node packages/server/scripts/soak.mjs [--clients 100] [--minutes 3]
// Prints figures as Markdown. Exit code 1 when a request failed or the server grew by more than a third.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const { values } = parseArgs({
  options: {
    clients: { type: 'string', default: '100' },
    minutes: { type: 'string', default: '3' },
  },
});
const clients = Number(values.clients);
const duration = Number(values.minutes) * 60_000;

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
const sizes = [];
// Sessions are opened one after the other, as clients come in life; then all run at once.
const end = Date.now() + duration;
const sampling = sample();
await Promise.all(
  Array.from({ length: clients }, (_, number) => delay(number * 5).then(() => converse(number))),
);
await sampling;
const requests = [...latencies.values()].flat();
report();
server.kill('SIGTERM');
const [code] = await once(server, 'exit');
// Caches and the heap fill at first; from then on the size has to stay.
const grew = sizes.at(-1) > sizes[3] * 1.34;
if (grew) console.error('The server grew.');
if (code !== 0) console.error(`The server exited with ${code}.`);
process.exit(failures.size > 0 || grew || code !== 0 ? 1 : 0);

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
      if (turn % 5 > 0) await transport.terminateSession();
    } catch (error) {
      count(failures, `session: ${error.message}`);
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
    count(failures, `${kind}: ${error.message}`);
  }
}

function report() {
  const percentile = (list, share) =>
    list.sort((a, b) => a - b)[Math.floor(share * (list.length - 1))].toFixed(1);
  const row = (name, list) =>
    `| ${name} | ${list.length} | ${percentile(list, 0.5)} | ${percentile(list, 0.99)} |`;
  console.log(
    `${clients} clients, ${values.minutes} minutes, ${cpus().length} cores, Node ${process.versions.node}\n`,
  );
  console.log('| request | count | p50 ms | p99 ms |\n| --- | ---: | ---: | ---: |');
  for (const [kind, list] of latencies) console.log(row(kind, list));
  console.log(row('all', requests));
  const perSecond = (requests.length / (duration / 1000)).toFixed(0);
  console.log(
    `\n${perSecond} requests a second, ${sessions} sessions, ${[...failures.values()].reduce((a, b) => a + b, 0)} errors`,
  );
  for (const [what, times] of failures) console.log(`- ${times} × ${what}`);
  console.log(
    `\nMemory of the server (resident, MiB), start to end: ${sizes.map((size) => size.toFixed(0)).join(', ')}`,
  );
}

/** The server's resident memory, at the start and ten times until the end. */
async function sample() {
  for (let k = 0; k <= 10; k++) {
    sizes.push(await residentMiB());
    if (k < 10) await delay(duration / 10);
  }
}

async function residentMiB() {
  const status = await readFile(`/proc/${server.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)[1]) / 1024;
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
