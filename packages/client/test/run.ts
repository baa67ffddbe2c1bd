import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const packageDir = fileURLToPath(new URL('..', import.meta.url));

/** Runs one of the built clients to its end, as a child process with nothing on its stdin. */
export function runClient(
  name: 'raw' | 'sdk' | 'ask',
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [`${packageDir}dist/${name}.js`, ...args], {
      cwd: packageDir,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

export interface Message {
  readonly jsonrpc: string;
  readonly id?: number;
  readonly method?: string;
  // biome-ignore lint/suspicious/noExplicitAny: whatever a server answers, for a test to look into
  readonly params?: any;
  // biome-ignore lint/suspicious/noExplicitAny: the same
  readonly result?: any;
}

/** The messages of a printed conversation: `→` is what the client sent, `←` what came back. */
export function conversation(stdout: string): { sent: Message[]; received: Message[]; directions: string } {
  const lines = stdout.split('\n').filter((line) => line !== '');
  const messages = (arrow: string) =>
    lines.filter((line) => line.startsWith(arrow)).map((line) => JSON.parse(line.slice(arrow.length)));
  return {
    sent: messages('→ '),
    received: messages('← '),
    directions: lines.map((line) => line[0]).join(''),
  };
}
