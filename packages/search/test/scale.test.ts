import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Random } from './support/random.js';
import { Workspace } from './support/workspace.js';

const child = fileURLToPath(new URL('./support/scale-child.mjs', import.meta.url));
const files = 5000;

let workspace: Workspace;
beforeEach(async () => {
  workspace = await Workspace.create();
});
afterEach(async () => {
  await workspace.remove();
});

interface Outcome {
  readonly documents: number;
  readonly passages: number;
  readonly embedded: number;
  /** Bytes in use, at every 500th document. */
  readonly heap: readonly number[];
}

async function indexAll(): Promise<Outcome> {
  const started = fork(child, [workspace.documents, workspace.index], {
    execArgv: ['--expose-gc'],
    stdio: 'inherit',
  });
  const [outcome] = (await once(started, 'message')) as [Outcome];
  return outcome;
}

it('5000 files are indexed without being held in memory, and not again at the next start', async () => {
  const random = new Random(1);
  let bytes = 0;
  for (let number = 0; number < files; number++) {
    const paragraphs = Array.from(
      { length: 2 },
      (_, place) => `File ${number}, paragraph ${place}. ${random.sentence(60)}`,
    );
    const text = paragraphs.join('\n\n');
    bytes += text.length;
    await workspace.write(`folder-${number % 50}/file-${number}.txt`, text);
  }
  const first = await indexAll();
  expect(first.documents).toBe(files);
  expect(first.embedded).toBe(first.passages);
  const early = first.heap[0]!;
  const growth = Math.max(...first.heap) - early;
  expect(growth, `${bytes} bytes of text`).toBeLessThan(bytes / 2);
  const second = await indexAll();
  expect(second).toMatchObject({ documents: files, passages: first.passages, embedded: 0 });
});
