import { spawn } from 'node:child_process';
import type { Measurement } from '../results/results.js';
import { searchOverMcp, serverEntry, serverEnvironment } from './mcp-client.js';
import { StdioClient } from './stdio-client.js';
import type { Tell } from './tell.js';
import type { Workspace } from './workspace.js';

export interface StartInput {
  readonly workspace: Workspace;
  readonly backend: string;
  /** A built index. */
  readonly indexDirectory: string;
  readonly repetitions: number;
}

/**
 * From starting a process to its first answer: bare Node that prints one line, Kettle's reply to `initialize`, and
 * its first search with an index from before. They take turns.
 */
export async function measureStart(input: StartInput, tell: Tell): Promise<Measurement[]> {
  const { workspace, backend, indexDirectory, repetitions } = input;
  const env = serverEnvironment({ backend, documents: workspace.documents, indexDirectory });
  const bare: number[][] = [];
  const initialize: number[][] = [];
  const search: number[][] = [];
  for (let repetition = 0; repetition < repetitions; repetition++) {
    tell(`starting processes, ${repetition + 1} of ${repetitions}`);
    bare.push([await startBareNode()]);
    const started = performance.now();
    const client = new StdioClient(serverEntry, env);
    try {
      await client.initialize();
      initialize.push([performance.now() - started]);
      await searchOverMcp(client, 'when do you open');
      search.push([performance.now() - started]);
    } finally {
      await client.close();
    }
  }
  return [
    { metric: 'start', labels: { phase: 'bare node' }, runs: bare },
    { metric: 'start', labels: { backend, phase: 'initialize' }, runs: initialize },
    { metric: 'start', labels: { backend, phase: 'first search' }, runs: search },
  ];
}

/**
 * Milliseconds to the first byte that a Node process without a program of its own prints. Its end is waited for, so
 * that it disturbs nothing that follows, but is not counted: neither is that of the servers it is held against.
 */
function startBareNode(): Promise<number> {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const child = spawn(process.execPath, ['--eval', 'process.stdout.write("x")'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    child.once('error', reject);
    child.stdout.once('data', () => {
      const milliseconds = performance.now() - started;
      child.once('close', () => resolve(milliseconds));
    });
  });
}
