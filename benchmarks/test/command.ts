import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** What `pnpm bench` runs. */
export const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));

/** Of somebody whose own server is set up otherwise: none of it may touch the measurements. */
const env = {
  ...process.env,
  SEARCH_MODE: 'keyword',
  EMBEDDING_MODEL: 'no/such-model',
  MCP_AUTH_TOKEN: 'a-secret',
};

/** Environment in which the registry has a backend more, `outsider`. */
export const withAddedBackend = {
  NODE_OPTIONS: `--import=${new URL('./added-backend/register.mjs', import.meta.url)}`,
};

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command to its end. */
export function bench(args: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [main, ...args], {
      env: { ...env, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
}
