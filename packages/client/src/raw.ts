// The Model Context Protocol over stdio, by hand: one line of JSON out, one line of JSON in. No SDK, only Node.
// Prints every line that goes (→) and comes (←). To talk to another server: node dist/raw.js COMMAND [ARGS…]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { replyTimeout } from './timeout.js';

type Reply = { id?: number; result?: unknown; error?: { code: number; message: string } };

const patience = replyTimeout('raw');
const root = fileURLToPath(new URL('../../..', import.meta.url));
// `npx pnpm …` puts pnpm on no PATH, but tells where it is.
const npx = process.env.npm_execpath ?? '';
const pnpm = /pnpm\.[cm]?js$/.test(npx) ? [process.execPath, npx] : ['pnpm'];
const start = [...pnpm, '-C', root, '--silent', '--filter', 'server', 'start'];
const [command = '', ...args] = process.argv.length > 2 ? process.argv.slice(2) : start;

// The server is our child process. Its stdin and stdout are the transport; stderr is only its log.
const server = spawn(command, args, { cwd: process.env.INIT_CWD, stdio: ['pipe', 'pipe', 'inherit'] });
server.on('error', (error) => fail(`cannot start ${command}: ${error.message}`));
server.stdin.on('error', () => {}); // A server that is gone is noticed where its reply is missing.
const exit = once(server, 'exit');

/** A newline ends a message. A chunk may hold half a message, or three. */
async function* readLines(): AsyncGenerator<string, undefined> {
  let rest = '';
  for await (const chunk of server.stdout.setEncoding('utf8')) {
    const lines: string[] = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
const incoming = readLines();

function send(message: { id?: number; method: string; params?: object | undefined }): void {
  const line = JSON.stringify({ jsonrpc: '2.0', ...message });
  console.log(`→ ${line}`);
  server.stdin.write(`${line}\n`);
}

/** With an id it is a request: read until the line that bears the same id. What comes before is no reply to it. */
async function request(id: number, method: string, params?: object): Promise<void> {
  const timer = setTimeout(() => fail(`no reply to ${method} in ${patience / 1000} seconds`), patience);
  send({ id, method, params });
  for (let reply: Reply = {}; reply.id !== id; ) {
    const { value: line } = await incoming.next();
    if (line === undefined) return fail(`the server ended before it answered ${method}`);
    console.log(`← ${line}`);
    reply = JSON.parse(line);
    if (reply.error) return fail(`${method} was refused: ${reply.error.message} (${reply.error.code})`);
  }
  clearTimeout(timer);
}

function fail(why: string): never {
  console.error(`raw: ${why}`);
  server.kill();
  process.exit(1);
}
process.on('uncaughtException', (error) => fail(error.message));

// 1. Open the connection: the version we speak, and who we are.
await request(1, 'initialize', {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'raw-client', version: '0.1.0' },
});
// 2. Say that we are ready. Without an id it is a notification, and nothing comes back.
send({ method: 'notifications/initialized' });
// 3. Ask which tools there are.
await request(2, 'tools/list');
// 4. Use one.
await request(3, 'tools/call', { name: 'search', arguments: { query: 'can I bring a dog', top_k: 1 } });

// There is no message to say goodbye: the end of its input is the server's signal to stop.
server.stdin.end();
const timer = setTimeout(() => fail('the server did not stop at the end of its input'), patience);
const [code] = await exit;
clearTimeout(timer);
if (code !== 0) fail(`the server exited with code ${code}`);
