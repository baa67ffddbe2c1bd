import { describe, expect, it } from 'vitest';
import expected from './conformance-expected.json' with { type: 'json' };
import { conformanceMethods } from './conformance-methods.js';
import { listScenarios, runScenarios } from './conformance-suite.js';
import { makeSmallCorpus, ServerProcess } from './server-process.js';
import { startServer } from './test-server.js';

const minutes = 60_000;

/** Scenarios and the reasons for which each may fail; an empty one for a scenario that means nothing though it passes. */
type Reasons = Readonly<Record<string, { readonly needs: string; readonly fails: string }>>;

/** A listed scenario that passes is as much an error as one that fails and isn't listed. */
function expectOnly(reasons: Reasons, failures: ReadonlyMap<string, readonly string[]>): void {
  const failing = Object.fromEntries([...failures].filter(([, messages]) => messages.length > 0));
  expect(failing).toEqual(
    Object.fromEntries(
      Object.entries(reasons).map(([name, { fails }]) => [name, [expect.stringContaining(fails)]]),
    ),
  );
}

describe('the official conformance suite', () => {
  it(
    'passes against Kettle, but for the scenarios that need a server made for the test',
    async () => {
      const corpus = await makeSmallCorpus();
      const server = new ServerProcess(corpus.env);
      try {
        const failures = await runScenarios(await server.url());
        expect([...failures.keys()].sort()).toEqual(await listScenarios());
        expect(failures.size).toBeGreaterThan(20);
        expectOnly(expected.kettle, failures);
        // They only look for a text or for an error, and are content with "There is no tool of that name".
        for (const scenario of expected.passWithoutMeaning) expect(failures.get(scenario)).toEqual([]);
      } finally {
        await server.kill();
        await corpus.remove();
      }
    },
    3 * minutes,
  );

  it(
    'passes against the same HTTP endpoint, sessions and streams with tools made for it, but for what no tool of ours does',
    async () => {
      const { url, logged } = await startServer({ methods: conformanceMethods });
      const failures = await runScenarios(url);
      expect([...failures.keys()].sort()).toEqual(await listScenarios());
      expectOnly(expected.testTools, failures);
      expect(logged.filter(({ level }) => level === 'error')).toEqual([]);
    },
    3 * minutes,
  );
});
