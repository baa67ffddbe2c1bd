import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The built server's entry. */
export const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** A folder with two documents, and the environment for a server that indexes it. */
export interface SmallCorpus {
  readonly env: Record<string, string>;
  remove(): Promise<void>;
}

export async function makeSmallCorpus(): Promise<SmallCorpus> {
  const folder = await mkdtemp(join(tmpdir(), 'kettle-server-'));
  const documents = join(folder, 'documents');
  await writeFile(
    join(folder, 'corpus.json'),
    JSON.stringify({ name: 'Two papers', documents: 'documents' }),
  );
  await mkdir(documents);
  await writeFile(join(documents, 'dogs.txt'), 'Dogs are welcome on the terrace.\n');
  await writeFile(join(documents, 'hours.txt'), 'We open at eight and close at six.\n');
  return {
    env: { CORPUS_DIR: folder, INDEX_DIR: join(folder, 'index') },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** The server as a process of its own. */
export class ServerProcess {
  readonly child: ChildProcess;
  /** Exit code and signal. */
  readonly exited: Promise<unknown[]>;
  stdout = '';
  stderr = '';

  constructor(env: Record<string, string>) {
    this.child = spawn(process.execPath, [main], {
      env: { ...process.env, MCP_TRANSPORT: 'http', PORT: '0', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.exited = once(this.child, 'close');
    this.child.stdout!.setEncoding('utf8').on('data', (text) => (this.stdout += text));
    this.child.stderr!.setEncoding('utf8').on('data', (text) => (this.stderr += text));
  }

  /** Where it listens, as it says on stderr. */
  async url(): Promise<URL> {
    for (;;) {
      const url = /http:\/\/[\d.:[\]]+\/mcp/.exec(this.stderr)?.[0];
      if (url) return new URL(url);
      if (this.child.exitCode !== null) throw new Error(`The server ended: ${this.stderr}`);
      await Promise.race([once(this.child.stderr!, 'data'), this.exited]);
    }
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exited;
  }
}
