import { backends, findBackend } from '@kettle/server/backends';
import { ExactVectorStore } from '@kettle/vector-store';
import { describe, expect, it } from 'vitest';
import { tempFolder } from './support/temp-folder.js';

const fingerprint = { model: 'test', dimensions: 3, metric: 'cosine' as const };

describe('the registry of backends', () => {
  it('names each once, with the default among them', () => {
    const names = backends.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(expect.arrayContaining(['hnsw', 'chroma', 'exact']));
    for (const name of names) expect(findBackend(name)?.name).toBe(name);
    expect(findBackend('faiss')).toBeUndefined();
  });

  it.each(backends.filter(({ name }) => name !== 'chroma'))(
    'opens $name, with presets and with every tuning',
    async (backend) => {
      const { name, tunables = [] } = backend;
      const tunings = [
        {},
        ...tunables.flatMap(({ name, values }) => values.map((value) => ({ [name]: value }))),
      ];
      for (const tuning of tunings) {
        const store = await backend.open({
          fingerprint,
          corpusId: 'test',
          directory: await tempFolder(),
          settings: { chroma: {} },
          tuning,
          log: (_level, message) => expect.fail(message),
        });
        expect(store.backend).toBe(name);
        await store.upsert([{ id: 'a', vector: Float32Array.of(1, 0, 0) }]);
        expect(await store.query(Float32Array.of(1, 0, 0), 5)).toMatchObject([{ id: 'a' }]);
        await store.close();
      }
    },
  );

  it('gives what tunables say: presets among the values, ascending', () => {
    for (const { values, preset } of backends.flatMap(({ tunables = [] }) => tunables)) {
      expect(values).toContain(preset);
      expect(values).toEqual([...values].sort((a, b) => a - b));
    }
  });

  it('opens a store that is the reference itself for exact', async () => {
    const settings = { chroma: {} };
    const store = await findBackend('exact')?.open({
      fingerprint,
      corpusId: 'test',
      directory: '',
      settings,
      log: () => {},
    });
    expect(store).toBeInstanceOf(ExactVectorStore);
  });
});
