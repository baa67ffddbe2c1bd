import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The official suite, as a program. */
const suite = fileURLToPath(
  new URL('../../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url),
);

interface Check {
  readonly name: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'INFO' | 'SKIPPED';
  readonly errorMessage?: string;
}

function run(...args: string[]): Promise<string> {
  return new Promise((resolve) => {
    // The exit code says that some scenario failed; which ones may is for the test to say.
    execFile(process.execPath, [suite, ...args], (_error, stdout) => resolve(stdout));
  });
}

/** Names of every scenario that the suite has for servers, sorted. */
export async function listScenarios(): Promise<string[]> {
  const list = await run('list', '--server');
  return [...list.matchAll(/^ +- (\S+)$/gm)].map((match) => match[1]!).sort();
}

/** Runs every scenario against a server. Gives what failed in each: nothing where it passed. */
export async function runScenarios(url: URL): Promise<Map<string, string[]>> {
  const output = await mkdtemp(join(tmpdir(), 'kettle-conformance-'));
  try {
    await run('server', '--url', url.href, '--suite', 'all', '--output-dir', output);
    const folders = await readdir(output);
    return new Map(
      await Promise.all(
        folders.map(async (folder) => [nameOf(folder), await failuresIn(join(output, folder))] as const),
      ),
    );
  } finally {
    await rm(output, { recursive: true, force: true });
  }
}

function nameOf(folder: string): string {
  const scenario = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(folder)?.[1];
  if (!scenario) throw new Error(`What is ${folder}?`);
  return scenario;
}

async function failuresIn(folder: string): Promise<string[]> {
  const checks: Check[] = JSON.parse(await readFile(join(folder, 'checks.json'), 'utf8'));
  const failed = checks.filter(({ status }) => status === 'FAILURE');
  return failed.map(({ name, errorMessage }) => errorMessage ?? name);
}
