import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { readResults, withFigures } from '@kettle/benchmarks';
import { expect, test } from 'vitest';

const reference = fileURLToPath(new URL('../results/reference', import.meta.url));
const readme = fileURLToPath(new URL('../../README.md', import.meta.url));

test('the figures of README.md are those of the reference run', async () => {
  const text = await readFile(readme, 'utf8');
  expect(withFigures(text, await readResults(reference))).toBe(text);
});

test('and tell a command that anybody can run', async () => {
  const { method } = await readResults(reference);
  expect(method.command).toMatch(/^pnpm bench /);
  expect(method.command).not.toMatch(/[ =]\//);
});
