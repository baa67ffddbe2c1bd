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

describe('a library that hangs', () => {
  // The thread may be silent for half as long again, and says nothing while it starts: long for a busy machine.
  const deadline = 2_000;
  const fingerprint: Fingerprint = { model: 'm', dimensions: 3, metric: 'cosine' };
  const vector = Float32Array.of(1, 0, 0);

  test('fails every call that waits, and every later one, with timeout; closing ends', async () => {
    const store = await TestVectorStore.open('./hanging-thread.mjs', {
      directory: join(root, 'h'),
      fingerprint,
      deadline,
    });
    await store.upsert([{ id: 'a', vector }]);
    const calls = [store.query(vector, 1), store.count(), store.upsert([{ id: 'b', vector }])];
    for (const outcome of await Promise.allSettled(calls)) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'timeout', retryable: false } });
      expect((outcome as PromiseRejectedResult).reason.message).toMatch(/no sign of life for 2000 ms/);
    }
    await expect(store.count()).rejects.toMatchObject({ code: 'timeout' });
    await store.close();
  });

  test('is not one that has much to do: a call may take longer than the deadline', async () => {
    const store = await TestVectorStore.open('./slow-thread.mjs', {
      directory: join(root, 's'),
      fingerprint,
      deadline,
    });
    onTestFinished(() => store.close());
    // Each takes the thread 20 ms, so that all of them take two deadlines.
    const records = Array.from({ length: (2 * deadline) / 20 }, (_, index) => ({ id: `r${index}`, vector }));
    await store.upsert(records);
    expect(await store.count()).toBe(records.length);
  });

  test('a deadline out of range is refused', async () => {
    const opened = TestVectorStore.open('./plain-thread.mjs', {
      directory: join(root, 'd'),
      fingerprint,
      deadline: 0,
    });
    await expect(opened).rejects.toMatchObject({
      code: 'invalid_argument',
      message: 'deadline is 0: give an integer from 1 to 3600000.',
    });
  });
});
