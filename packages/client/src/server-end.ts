import type { ChildProcess } from 'node:child_process';
import type { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';

/** Whether a call failed because the server ended. Why is the server's to say, on stderr. */
export function isServerEnd(error: unknown): boolean {
  return error instanceof McpError && error.code === ErrorCode.ConnectionClosed;
}

/** What to tell a person of an error. */
export function reasonOf(error: unknown): string {
  if (isServerEnd(error)) return 'the server ended; the reason is above';
  return error instanceof Error ? error.message : String(error);
}

/** Gives a function that tells the exit code of the transport's server once that has ended. The SDK keeps it to itself. */
export function exitCodeOf(transport: StdioClientTransport): () => number | null {
  let exitCode: number | null = null;
  const start = transport.start.bind(transport);
  transport.start = async () => {
    await start();
    const { _process: server } = transport as unknown as { _process?: ChildProcess };
    server?.once('exit', (code) => {
      exitCode = code;
    });
  };
  return () => exitCode;
}
