import { ChromaVectorStore, collectionName, defaultHnswSettings } from '@kettle/vector-store-chroma';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

const fingerprint = { model: 'Xenova/all-MiniLM-L6-v2', dimensions: 384, metric: 'cosine' } as const;

describe('a collection name', () => {
  test('can be read by people and is stable', () => {
    expect(collectionName('The Wandering Kettle, /srv/cafe', fingerprint)).toBe(
      'kettle-The-Wandering-Kettle-srv-cafe-170d8689e9cf-Xenova-all-MiniLM-L6-v2-be047eb6a737',
    );
  });

  test('is always one that Chroma takes', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.string({ minLength: 1, unit: 'binary' }),
        (corpus, model) => {
          expect(collectionName(corpus, { ...fingerprint, model })).toMatch(
            /^[a-zA-Z0-9][a-zA-Z0-9._-]{1,510}[a-zA-Z0-9]$/,
          );
        },
      ),
    );
  });

  test('differs with the corpus, the model and the dimensions, however alike they look', () => {
    const names = ['cafe', 'café', 'Cafe', 'cafe '].flatMap((corpus) => [
      collectionName(corpus, fingerprint),
      collectionName(corpus, { ...fingerprint, model: 'Xenova/all-MiniLM-L6-v2 ' }),
      collectionName(corpus, { ...fingerprint, dimensions: 385 }),
    ]);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('options', () => {
  const refused = [
    { corpusId: '' },
    { deadline: 0 },
    { deadline: 1.5 },
    { deadline: Number.NaN },
    { collection: 'ab' },
    { collection: '-abc' },
    { collection: 'a b c' },
    { collection: 'a'.repeat(513) },
    { hnsw: { efSearch: 0 } },
    { hnsw: { efSearch: Number.NaN } },
    { hnsw: { maxNeighbors: 1 } },
    { hnsw: { efConstruction: 2.5 } },
    { fingerprint: { ...fingerprint, dimensions: 0 } },
  ];
  test.each(refused.map((options) => [JSON.stringify(options), options] as const))(
    '%s are refused before any server is asked',
    async (_, options) => {
      const server = {
        url: () => Promise.reject(new Error('the server was asked')),
        close: async () => {},
      };
      await expect(
        ChromaVectorStore.open({ server, fingerprint, corpusId: 'corpus', ...options }),
      ).rejects.toMatchObject({ code: 'invalid_argument' });
    },
  );

  test('have these defaults', () => {
    expect(defaultHnswSettings).toEqual({ maxNeighbors: 16, efConstruction: 200, efSearch: 1000 });
  });
});
