import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';

export interface Ended {
  readonly code: number | null;
  /** Every line of stdout, complete or not. */
  readonly lines: readonly string[];
  readonly stderr: string;
}

/** A child process that is spoken to in lines of JSON, started exactly as given. */
export class StdioSession {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: string[] = [];
  readonly #waiting = new Map<unknown, (message: Record<string, unknown>) => void>();
  #rest = '';
  #stderr = '';
  readonly ended: Promise<Ended>;

  constructor(command: string, args: readonly string[], options: { cwd: string; env: NodeJS.ProcessEnv }) {
    this.#child = spawn(command, args, { ...options, stdio: 'pipe' });
    this.#child.stdout.setEncoding('utf8').on('data', (chunk: string) => this.#receive(chunk));
    this.#child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      this.#stderr += chunk;
    });
    this.#child.stdin.on('error', () => {}); // A process that ended early is told by `ended`.
    this.ended = new Promise((resolve, reject) => {
      this.#child.on('error', reject);
      this.#child.on('close', (code) => {
        if (this.#rest !== '') this.#lines.push(this.#rest);
        resolve({ code, lines: this.#lines, stderr: this.#stderr });
      });
    });
  }

  notify(message: Record<string, unknown>): void {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  /** Sends a request and gives its reply; rejects with the log when the process ends before. */
  request(message: { id: number; method: string; params?: unknown }): Promise<Record<string, unknown>> {
    const reply = new Promise<Record<string, unknown>>((resolve) => this.#waiting.set(message.id, resolve));
    this.notify(message);
    const early = this.ended.then(({ code, stderr }) => {
      throw new Error(`the process ended with ${code} before it answered ${message.method}:\n${stderr}`);
    });
    return Promise.race([reply, early]);
  }

  /** Closes stdin, the signal to stop. */
  end(): Promise<Ended> {
    this.#child.stdin.end();
    return this.ended;
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  #receive(chunk: string): void {
    const parts = (this.#rest + chunk).split('\n');
    this.#rest = parts.pop() as string;
    for (const line of parts) {
      this.#lines.push(line);
      const message = parse(line);
      if (message && 'id' in message) this.#waiting.get(message.id)?.(message);
    }
  }
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined; // The test looks at every line itself.
  }
}
