import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { VectorStoreErrorCode } from '@kettle/vector-store';
import type { Trouble } from '../endpoint.js';

/** How a server is started. */
export interface StartSettings {
  readonly command: readonly string[];
  /** Milliseconds until a server that was started has to answer. */
  readonly startDeadline: number;
}

/** A line from a user of the server to its guardian. Its connection counts as one user until it closes. */
export interface GuardianRequest {
  readonly token: string;
  readonly id: number;
  /** Used if a server has to be started for this one: users of a folder may have different commands. */
  readonly start: StartSettings;
  /** The server failed a call: see whether it is well, and replace it if not. */
  readonly trouble?: Trouble | undefined;
}

/** The guardian's answer: where the server is, or why there is none. */
export type GuardianReply =
  | { readonly id: number; readonly url: string }
  | {
      readonly id: number;
      readonly error: {
        readonly code: VectorStoreErrorCode;
        readonly message: string;
        readonly retryable: boolean;
      };
    };

/** What a new guardian says on stdout, once: it is in charge, or another one is. */
export type GuardianGreeting = 'listening' | 'busy';

/** Reads a connection line by line. A peer that was killed resets it; that shows as its `close`, and nowhere else. */
export function onLine(socket: Socket, listener: (line: string) => void): void {
  socket.on('error', () => {});
  createInterface({ input: socket })
    .on('error', () => {})
    .on('line', listener);
}
