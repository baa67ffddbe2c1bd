import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Fingerprint, VectorRecord } from '@kettle/vector-store';
import { vectorStoreContract } from '@kettle/vector-store-contract';
import { type GraphOptions, openIndex, ThreadedVectorStore } from '@kettle/vector-store-thread';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';

class TestVectorStore extends ThreadedVectorStore {
  override readonly backend = 'test';

  static async open(thread: string, options: GraphOptions): Promise<TestVectorStore> {
    return new TestVectorStore(await openIndex(new URL(thread, import.meta.url), options));
  }
}

const root = await mkdtemp(join(tmpdir(), 'kettle-thread-'));
afterAll(() => rm(root, { recursive: true }));

describe('on a library that finds everything', () => {
  vectorStoreContract(
    test,
    {
      open: (place, fingerprint) =>
        TestVectorStore.open('./plain-thread.mjs', { directory: join(root, place), fingerprint }),
    },
    { capabilities: { exact: false, persistent: true, shared: false } },
  );
});

describe('on a graph that fell into pieces', () => {
  const fingerprint: Fingerprint = { model: 'm', dimensions: 3, metric: 'cosine' };
  const records: VectorRecord[] = Array.from({ length: 400 }, (_, index) => ({
    id: `r${index}`,
    vector: Float32Array.of(Math.cos(index / 200), Math.sin(index / 200), 0.1),
  }));

  test('answers are full and in order nevertheless', async () => {
    const store = await TestVectorStore.open('./island-thread.mjs', {
      directory: join(root, 'i'),
      fingerprint,
    });
    onTestFinished(() => store.close());
    await store.upsert(records);
    const all = await store.query(records[0]!.vector, 400);
    expect(all.map(({ id }) => id)).toEqual(records.map(({ id }) => id));

    // Large enough to be searched with a filter.
    const within = new Set(records.slice(0, 300).map(({ id }) => id));
    const selected = await store.query(records[0]!.vector, 200, { within });
    expect(selected).toHaveLength(200);
    expect(
      new Set(
        await store.query(records[0]!.vector, 400, { within }).then((hits) => hits.map(({ id }) => id)),
      ),
    ).toEqual(within);
  });
});

test('a library that can not be loaded is told as it is', async () => {
  const fingerprint: Fingerprint = { model: 'm', dimensions: 3, metric: 'cosine' };
  const opened = TestVectorStore.open('./missing-thread.mjs', { directory: join(root, 'm'), fingerprint });
  await expect(opened).rejects.toMatchObject({
    code: 'unsupported',
    message: 'The addon is missing: install it.',
  });
});
