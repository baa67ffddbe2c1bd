// The process that owns a private Chroma server: it starts it, shares it among all Kettle processes that use one
// folder, and ends it when the last of them is gone. It notices a killed Kettle by its closed connection.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { FileLock } from '@kettle/file-lock';
import { VectorStoreError } from '@kettle/vector-store';
import type { Trouble } from '../endpoint.js';
import { toStartError } from '../failures.js';
import {
  type GuardianGreeting,
  type GuardianReply,
  type GuardianRequest,
  onLine,
  type StartSettings,
} from './guardian-protocol.js';
import { processIdentity } from './process-identity.js';
import { killMarked } from './process-mark.js';
import { ServerProcess, signalGroup } from './server-process.js';
import { readState, removeState, type ServerState, writeState } from './server-state.js';

const directory = process.argv[2] ?? '';
/** Milliseconds that a guardian waits for its first user, and for the next one after the last left. */
const firstUserGrace = 10_000;
const lastUserGrace = 500;
/** Milliseconds that a server under suspicion has to answer its heartbeat. */
const wellness = 2000;
/**
 * A server that answers its heartbeat and fails at everything else (after a full disk, say) is replaced, but not
 * one younger than this: a new one would fail the same way.
 */
const failingAge = 5000;
/** Milliseconds that a killed server has to be gone. One that waits for a disk that hangs can't be ended. */
const killGrace = 10_000;

/** One server at a time: starting, running or being replaced. */
class Guardian {
  readonly #token = randomUUID();
  readonly #users = new Set<Socket>();
  readonly #control = createServer((socket) => this.#welcome(socket));
  #server: Promise<ServerProcess> | undefined;
  #leaving: NodeJS.Timeout | undefined;
  readonly #leavingNow = new AbortController();
  readonly #lock: FileLock;

  constructor(lock: FileLock) {
    this.#lock = lock;
  }

  async listen(): Promise<void> {
    await endLeftOver(readState(directory));
    await once(this.#control.listen(0, '127.0.0.1'), 'listening');
    this.#remember();
    greet('listening');
    this.#leaveIn(firstUserGrace);
  }

  /** Ends the server and this process. New users find nobody here and start the next guardian. */
  async leave(): Promise<void> {
    clearTimeout(this.#leaving);
    this.#control.close();
    for (const user of this.#users) user.destroy();
    this.#leavingNow.abort();
    const server = await this.#server?.catch(() => undefined);
    await server?.stop();
    removeState(directory);
    this.#lock.release();
    process.exit(0);
  }

  #welcome(socket: Socket): void {
    this.#users.add(socket);
    clearTimeout(this.#leaving);
    socket.on('close', () => {
      this.#users.delete(socket);
      if (this.#users.size === 0) this.#leaveIn(lastUserGrace);
    });
    onLine(socket, (line) => void this.#serve(socket, line));
  }

  async #serve(socket: Socket, line: string): Promise<void> {
    const request = parse(line);
    if (request?.token !== this.#token) {
      socket.destroy();
      return;
    }
    const reply = await this.#reply(request);
    if (socket.writable) socket.write(`${JSON.stringify(reply)}\n`);
  }

  async #reply({ id, start, trouble }: GuardianRequest): Promise<GuardianReply> {
    try {
      return { id, url: (await this.#ensure(start, trouble)).url };
    } catch (error) {
      const { code, message, retryable } = VectorStoreError.isInstance(error)
        ? error
        : toStartError("The Chroma server's guardian failed", error);
      return { id, error: { code, message, retryable } };
    }
  }

  /** Several users may ask at once; they all wait for the same server. */
  async #ensure(start: StartSettings, trouble: Trouble | undefined): Promise<ServerProcess> {
    const current = this.#server;
    if (current) {
      const server = await current.catch(() => undefined);
      if (this.#server !== current) return this.#ensure(start, trouble);
      if (server && (await isUsable(server, trouble))) return server;
      if (this.#server !== current) return this.#ensure(start, trouble);
      this.#server = server ? server.stop().then(() => this.#start(start)) : this.#start(start);
    } else {
      this.#server = this.#start(start);
    }
    return this.#server;
  }

  #start({ command, startDeadline: deadline }: StartSettings): Promise<ServerProcess> {
    const mark = randomUUID();
    const onSpawn = (pid: number) => this.#remember(pid, mark);
    return ServerProcess.start({
      directory,
      command,
      deadline,
      mark,
      onSpawn,
      signal: this.#leavingNow.signal,
    });
  }

  #remember(pid?: number, mark = ''): void {
    const { port: controlPort } = this.#control.address() as AddressInfo;
    const identity = pid === undefined ? undefined : processIdentity(pid);
    const server = pid !== undefined && identity !== undefined ? { pid, identity, mark } : undefined;
    writeState(directory, { controlPort, token: this.#token, ...(server && { server }) });
  }

  #leaveIn(milliseconds: number): void {
    clearTimeout(this.#leaving);
    this.#leaving = setTimeout(() => void this.leave(), milliseconds);
  }
}

async function isUsable(server: ServerProcess, trouble: Trouble | undefined): Promise<boolean> {
  if (trouble === undefined) return server.isRunning;
  if (trouble === 'failing' && server.age > failingAge) return false;
  return server.isWell(wellness);
}

/**
 * A guardian that was killed leaves its server behind. This ends that very process and what it started, also where
 * only the latter is left, and never a stranger. Where that can't be ended it rejects, and the note of it stays.
 */
async function endLeftOver(state: ServerState | undefined): Promise<void> {
  const server = state?.server;
  if (!server) return;
  const isThere = () => processIdentity(server.pid) === server.identity;
  if (isThere()) signalGroup(server.pid, 'SIGKILL');
  // Two servers in one folder would damage it, so nothing starts before the old one is gone.
  const until = performance.now() + killGrace;
  while (killMarked(server.mark) || isThere()) {
    if (performance.now() > until) {
      throw new Error(
        `an earlier server of ${directory} (process ${server.pid}, or one that it started) was killed and does not end, perhaps for a disk that hangs; two servers would damage the data. See that it ends, if need be by a restart of the machine, and try again`,
      );
    }
    await sleep(10);
  }
}

function parse(line: string): GuardianRequest | undefined {
  try {
    return JSON.parse(line) as GuardianRequest;
  } catch {
    return undefined;
  }
}

function greet(greeting: GuardianGreeting): void {
  // The Kettle that started this process may be gone already.
  process.stdout.on('error', () => {});
  process.stdout.write(`${greeting}\n`);
}

const lock = FileLock.acquire(directory, 'kettle-server.lock');
if (lock) {
  const guardian = new Guardian(lock);
  process.once('SIGTERM', () => void guardian.leave());
  process.once('SIGINT', () => void guardian.leave());
  await guardian.listen().catch((error: unknown) => {
    // Kettle reads this, and shows it to its user.
    process.stderr.write(error instanceof Error ? error.message : String(error), () => process.exit(1));
  });
} else {
  greet('busy');
}
