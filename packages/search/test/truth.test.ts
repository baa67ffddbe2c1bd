import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SearchIndex } from '@kettle/search';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FakeEmbedder } from './support/fake-embedder.mjs';
import { openForTest } from './support/open-for-test.mjs';
import { contentsOf, Workspace } from './support/workspace.js';

const names = ['a.txt', 'b.md', 'A.txt', 'sub/a.txt', 'sub/with space.txt', 'sub/übung.txt', 'deep/er/c.rst'];
const name = fc.constantFrom(...names);
const sentence = fc.array(fc.constantFrom('tea', 'milk', 'dog', 'roof', 'lemon', 'Ärger', '茶', '🍵'), {
  minLength: 1,
  maxLength: 12,
});
const body = fc
  .array(sentence, { maxLength: 8 })
  .map((sentences) => sentences.map((words) => `${words.join(' ')}.`).join('\n\n'));

type Step =
  | { kind: 'write'; name: string; body: string }
  | { kind: 'rename'; from: string; to: string }
  | { kind: 'delete'; name: string }
  | { kind: 'sync' }
  | { kind: 'restart'; backend: 'exact' | 'hnsw' };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('write' as const), name, body }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('rename' as const), from: name, to: name }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), name }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('sync' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('restart' as const),
      backend: fc.constantFrom('exact' as const, 'hnsw' as const),
    }),
  },
);

/** Takes the step on disk; says whether it was possible. */
async function take(workspace: Workspace, current: Step): Promise<boolean> {
  if (current.kind === 'write') await workspace.write(current.name, current.body);
  if (current.kind === 'delete') await rm(workspace.path(current.name), { force: true });
  if (current.kind === 'rename') {
    return rename(workspace.path(current.from), workspace.path(current.to)).then(
      () => true,
      () => false,
    );
  }
  return true;
}

describe('after any sequence of edits', () => {
  it('the index says what a fresh one says, and no text goes through the model twice', {
    timeout: 180_000,
  }, async () => {
    const queries = ['tea milk', 'dog on the roof', '茶'];
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), async (steps) => {
        const workspace = await Workspace.create();
        const freshFolder = await mkdtemp(join(tmpdir(), 'kettle-fresh-'));
        const embedded: string[] = [];
        let backend: 'exact' | 'hnsw' = 'exact';
        const open = () =>
          openForTest({
            documents: workspace.documents,
            directory: workspace.index,
            backend,
            loadEmbedder: async () => {
              const embedder = new FakeEmbedder();
              Object.defineProperty(embedder, 'embedded', { value: embedded });
              return embedder;
            },
          });
        let index: SearchIndex | undefined;
        let fresh: SearchIndex | undefined;
        try {
          index = await open();
          for (const current of steps) {
            if (current.kind === 'sync') await index.sync();
            else if (current.kind === 'restart') {
              await index.close();
              backend = current.backend;
              index = await open();
            } else await take(workspace, current);
          }
          await index.sync();
          fresh = await openForTest({ documents: workspace.documents, directory: freshFolder });
          await fresh.ready();
          expect(await contentsOf(index, queries)).toEqual(await contentsOf(fresh, queries));
          expect(embedded.length).toBe(new Set(embedded).size);
        } finally {
          await index?.close();
          await fresh?.close();
          await workspace.remove();
          await rm(freshFolder, { recursive: true, force: true });
        }
      }),
      { numRuns: 60 },
    );
  });
});
