import { collectionName } from '@kettle/vector-store-chroma';
import { describe, expect, test } from 'vitest';
import { chroma } from './support/chroma-command.js';
import { useServer } from './support/private-server.js';
import { fingerprint, open, records } from './support/store.js';

describe.skipIf(!chroma.available)('a collection of the same name that somebody else made', () => {
  const own = useServer();

  async function post(path: string, body: unknown): Promise<{ id: string }> {
    const answered = await fetch(
      `${own.url}/api/v2/tenants/default_tenant/databases/default_database/${path}`,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      },
    );
    expect(answered.ok).toBe(true);
    return (await answered.json()) as { id: string };
  }

  const foreign = [
    undefined,
    { dimensions: 0 },
    { ...fingerprint, dimensions: 0 },
    { ...fingerprint, dimensions: '2' },
    { ...fingerprint, metric: 'l2' },
    { ...fingerprint, model: 'another' },
    // Made without `configuration`, so that it compares by l2.
    { ...fingerprint },
  ];
  test.each(foreign.map((metadata) => [JSON.stringify(metadata), metadata]))(
    'and noted down as %s is refused',
    async (corpusId = 'none', metadata) => {
      await post('collections', { name: collectionName(corpusId, fingerprint), metadata });
      await expect(open(own.url, { corpusId })).rejects.toMatchObject({ code: 'fingerprint_mismatch' });
    },
  );

  test('and filled with other dimensions is refused by every call that looks at vectors', async () => {
    const { id } = await post('collections', {
      name: collectionName('dimensions', fingerprint),
      metadata: fingerprint,
      configuration: { hnsw: { space: 'cosine' } },
    });
    await post(`collections/${id}/upsert`, { ids: ['x'], embeddings: [[1, 2, 3]] });
    const store = await open(own.url, { corpusId: 'dimensions' });
    const query = Float32Array.of(1, 0);
    for (const call of [
      () => store.query(query, 1),
      () => store.query(query, 1, { within: new Set(['x']) }),
      () => store.upsert(records),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: 'fingerprint_mismatch' });
    }
  });
});
