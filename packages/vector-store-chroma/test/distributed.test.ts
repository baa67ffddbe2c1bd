import { text } from 'node:stream/consumers';
import { ExactVectorStore } from '@kettle/vector-store';
import { ChromaVectorStore } from '@kettle/vector-store-chroma';
import { describe, expect, onTestFinished, test } from 'vitest';
import { all } from './support/all.js';
import { chroma } from './support/chroma-command.js';
import { answer, listen } from './support/front.js';
import { useServer } from './support/private-server.js';
import { randomDirections } from './support/random-directions.js';

/** Chroma Cloud's published quota: records in a write, and results of a read. */
const quota = 300;
const fingerprint = { model: 'random', dimensions: 8, metric: 'cosine' } as const;
const records = randomDirections(1000, 8, 1).map((vector, index) => ({ id: `id-${index}`, vector }));

/** Passes on to a real server what the quota allows, and shows its collections as those of a distributed one. */
async function relay(request: Request): Promise<{ status: number; body: unknown }> {
  const body = await request.text();
  const asked = body ? (JSON.parse(body) as { ids?: string[]; limit?: number; n_results?: number }) : {};
  const sizes = [asked.ids?.length ?? 0, asked.limit ?? 0, asked.n_results ?? 0];
  if (Math.max(...sizes) > quota) {
    return { status: 422, body: { error: 'QuotaError', message: `Quota exceeded: ${sizes} > ${quota}` } };
  }
  const answered = await fetch(request.url, {
    method: request.method,
    headers: { 'content-type': 'application/json' },
    ...(body && { body }),
  });
  const said = (await answered.json()) as { configuration_json?: Record<string, unknown> };
  if (said?.configuration_json) said.configuration_json = { hnsw: null, spann: { space: 'cosine' } };
  return { status: answered.status, body: said };
}

describe.skipIf(!chroma.available)('a distributed server with quotas', () => {
  const own = useServer();
  const exact = new ExactVectorStore(fingerprint);

  async function open(corpusId: string): Promise<ChromaVectorStore> {
    const target = own.url;
    const front = await listen(async (incoming, response) => {
      const { method = 'GET', url = '/' } = incoming;
      const body = await text(incoming);
      const request = new Request(new URL(url, target), { method, ...(body && { body }) });
      const relayed = await relay(request);
      answer(response, relayed.status, relayed.body);
    });
    onTestFinished(() => front[Symbol.asyncDispose]());
    const store = await ChromaVectorStore.open({ server: front.url, fingerprint, corpusId });
    onTestFinished(() => store.close());
    return store;
  }

  test('is filled, listed, searched and emptied within them', async () => {
    const store = await open('a corpus whose name is longer than a note may be '.repeat(9));
    await Promise.all([exact.upsert(records), store.upsert(records)]);
    expect((await all(store.ids())).flat()).toHaveLength(1000);

    const ids = records.map(({ id }) => id);
    const selections = [undefined, new Set(ids.slice(0, 450)), new Set(ids.slice(0, 600)), new Set(ids)];
    for (const within of selections) {
      for (const topK of [5, 50, 290, 600]) {
        const [expected, hits] = await Promise.all([
          exact.query(records[7]!.vector, topK, { within }),
          store.query(records[7]!.vector, topK, { within }),
        ]);
        expect(hits).toHaveLength(expected.length);
        expect(hits[0]).toMatchObject({ id: 'id-7' });
      }
    }

    await store.delete(ids.slice(0, 500));
    expect(await store.count()).toBe(500);
    await store.clear();
    expect(await store.count()).toBe(0);
  });

  test('gives as many of those equally near as it may', async () => {
    const store = await open('ties');
    const { vector } = records[0]!;
    await store.upsert(records.map(({ id }) => ({ id, vector })));
    expect(await store.query(vector, 10)).toHaveLength(10);
  });
});
