import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import expected from './conformance-expected.json' with { type: 'json' };
import { makeSmallCorpus, ServerProcess, type SmallCorpus } from './server-process.js';

/** The official suite, as a program. */
const suite = fileURLToPath(
  new URL('../../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url),
);

interface Check {
  readonly name: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'INFO' | 'SKIPPED';
  readonly errorMessage?: string;
}

function runSuite(...args: string[]): Promise<string> {
  return new Promise((resolve) => {
    // The exit code says that some scenario failed; which ones may is for the test to say.
    execFile(process.execPath, [suite, ...args], (_error, stdout) => resolve(stdout));
  });
}

describe('the official conformance suite', () => {
  let corpus: SmallCorpus;
  let server: ServerProcess;
  let output: string;
  const scenarios: string[] = [];
  const failures = new Map<string, string[]>();

  beforeAll(async () => {
    corpus = await makeSmallCorpus();
    server = new ServerProcess(corpus.env);
    output = await mkdtemp(join(tmpdir(), 'kettle-conformance-'));
    const url = await server.url();
    const list = await runSuite('list', '--server');
    scenarios.push(...[...list.matchAll(/^ +- (\S+)$/gm)].map((match) => match[1]!));
    await runSuite('server', '--url', url.href, '--suite', 'all', '--output-dir', output);
    for (const folder of await readdir(output)) {
      const scenario = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(folder)?.[1];
      if (!scenario) throw new Error(`What is ${folder}?`);
      const checks: Check[] = JSON.parse(await readFile(join(output, folder, 'checks.json'), 'utf8'));
      const failed = checks.filter(({ status }) => status === 'FAILURE');
      failures.set(
        scenario,
        failed.map(({ name, errorMessage }) => errorMessage ?? name),
      );
    }
  }, 180_000);

  afterAll(async () => {
    await server?.kill();
    await corpus?.remove();
    await rm(output, { recursive: true, force: true });
  });

  it('ran every scenario it has for servers', () => {
    expect(scenarios.length).toBeGreaterThan(20);
    expect([...failures.keys()].sort()).toEqual(scenarios.sort());
  });

  it('passes every scenario but those listed, which need a server made for the test', () => {
    const failing = [...failures].filter(([, messages]) => messages.length > 0).map(([scenario]) => scenario);
    // A listed scenario that passes is as much an error as one that fails and isn't listed.
    expect(failing.sort()).toEqual(Object.keys(expected).sort());
  });

  it.each(Object.entries(expected))(
    '%s fails for no other reason than the one listed',
    (scenario, { fails }) => {
      expect(failures.get(scenario)).toEqual([expect.stringContaining(fails)]);
    },
  );
});
