import { defaultBackend, defaultMode } from '@kettle/benchmarks';
import { readConfig } from '@kettle/server';
import { expect, test } from 'vitest';
import { bench, main } from './command.js';

test('a corpus that is not there ends with 1 and one line', async () => {
  const { code, stderr } = await bench(['--quick', '--corpus', '/no/such/folder', '--queries', main]);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^bench: .*\/no\/such\/folder.*\n$/);
});

test('what it takes for the defaults are the defaults of the server', () => {
  const { backend, searchMode } = readConfig({});
  expect({ backend, searchMode }).toEqual({ backend: defaultBackend, searchMode: defaultMode });
});

test('wrong usage ends with 2 and one line', async () => {
  const { code, stderr } = await bench(['--fast']);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^bench: Unknown option '--fast'\n$/);
});

test('a results file that is none ends with 2 and one line: nothing could be compared', async () => {
  const { code, stderr } = await bench(['--compare', main, main]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^bench: .*can't be read as results.*\n$/);
});
