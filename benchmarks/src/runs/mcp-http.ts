import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { HttpClient } from './http-client.js';
import type { McpClient } from './mcp-client.js';
import { serverEntry, serverEnvironment } from './mcp-client.js';

/** A Kettle server on HTTP in a process of its own. */
interface HttpServer {
  /** Another connection, with a session of its own. */
  connect(): HttpClient;
  close(): Promise<void>;
}

type Settings = Parameters<typeof serverEnvironment>[0];

/** Milliseconds that a server may take to listen. */
const startDeadline = 20_000;

/**
 * Starts a server on a free port of the loopback and waits until it listens.
 *
 * @throws when it ends or does not listen in time
 */
async function launchHttpServer(settings: Settings): Promise<HttpServer> {
  const port = await freePort();
  const env = serverEnvironment({
    ...settings,
    more: { MCP_TRANSPORT: 'http', HOST: '127.0.0.1', PORT: String(port), ...settings.more },
  });
  const child = spawn(process.execPath, [serverEntry], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-2000);
  });
  const server: HttpServer = {
    connect: () => new HttpClient(new URL(`http://127.0.0.1:${port}/mcp`)),
    close: () => end(child),
  };
  try {
    await untilListening(port, child);
  } catch (error) {
    await server.close();
    throw new Error(`${(error as Error).message}: ${stderr.trim().split('\n').at(-1) || 'no message'}`);
  }
  return server;
}

/** A client with a server of its own, which ends with it. */
export async function startHttpServer(settings: Settings): Promise<McpClient> {
  const server = await launchHttpServer(settings);
  const client = server.connect();
  return {
    initialize: () => client.initialize(),
    request: (method, params) => client.request(method, params),
    another: async () => {
      const other = server.connect();
      await other.initialize();
      return other;
    },
    close: async () => {
      await client.close();
      await server.close();
    },
  };
}

async function untilListening(port: number, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + startDeadline;
  while (Date.now() < deadline) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error('the HTTP server ended');
    try {
      await (await fetch(`http://127.0.0.1:${port}/healthz`)).arrayBuffer();
      return;
    } catch {
      await wait(50);
    }
  }
  throw new Error(`the HTTP server did not listen within ${startDeadline / 1000} s`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('close', resolve));
  const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
  child.kill('SIGTERM');
  await ended;
  clearTimeout(timer);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}
