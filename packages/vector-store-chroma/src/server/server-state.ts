import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a guardian writes down beside the data, for other users of the server and for the next guardian. */
export interface ServerState {
  /** Loopback port on which the guardian listens. */
  readonly controlPort: number;
  /** Proves to the guardian that a caller could read this file, and to no stranger on a reused port. */
  readonly token: string;
  /** The server process, once there is one. */
  readonly server?: {
    readonly pid: number;
    readonly identity: string;
    /** In the environment of the server and of all that it started. */
    readonly mark: string;
  };
}

const name = 'kettle-server.json';

/** The state in `directory`, or undefined when there is none that makes sense. */
export function readState(directory: string): ServerState | undefined {
  try {
    const state = JSON.parse(readFileSync(join(directory, name), 'utf8')) as ServerState;
    return Number.isInteger(state.controlPort) && typeof state.token === 'string' ? state : undefined;
  } catch {
    return undefined;
  }
}

/** Replaces the state in one step. Only this user may read it. */
export function writeState(directory: string, state: ServerState): void {
  const file = join(directory, name);
  writeFileSync(`${file}.new`, JSON.stringify(state), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

export function removeState(directory: string): void {
  rmSync(join(directory, name), { force: true });
}
