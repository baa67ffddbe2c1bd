import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Embedder, loadEmbedder } from '@kettle/embedder';
import { model as minilm, modelsDirectory } from '@kettle/model-minilm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

// The same network under other names: what differs is what the profile does.
let models: string;
let plain: Embedder;

beforeAll(async () => {
  models = await mkdtemp(path.join(tmpdir(), 'kettle-profiles-'));
  plain = await as('somebody/plain');
});

afterAll(() => rm(models, { recursive: true, force: true }));

async function as(model: string, files: Readonly<Record<string, unknown>> = {}): Promise<Embedder> {
  const folder = path.join(models, model);
  await cp(path.join(modelsDirectory, minilm.id), folder, { recursive: true });
  for (const [file, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
    await writeFile(path.join(folder, file), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return loadEmbedder({ model, modelDirs: [models] });
}

async function one(vectors: Promise<Float32Array[]>): Promise<Float32Array> {
  return (await vectors)[0]!;
}

describe('families known by name', () => {
  test.each(['Xenova/multilingual-e5-small', 'Xenova/e5-base-v2', 'intfloat/e5-large'])(
    '%s gets its prefixes',
    async (model) => {
      const e5 = await as(model);
      expect(await e5.embedQuery('tea')).toEqual(await plain.embedQuery('query: tea'));
      expect(await one(e5.embedDocuments(['tea']))).toEqual(await plain.embedQuery('passage: tea'));
      // 512 less [CLS], [SEP] and the two tokens of a prefix.
      expect(e5.maxTokens).toBe(508);
      expect(await e5.countTokens(['a cup of tea'])).toEqual([4]);
      await e5.close();
    },
  );

  test('BGE gets its instruction before questions only, and takes the first token', async () => {
    const bge = await as('Xenova/bge-small-en-v1.5');
    const cls = await as('somebody/cls', { '1_Pooling/config.json': { pooling_mode_cls_token: true } });
    const instruction = 'Represent this sentence for searching relevant passages: ';
    expect(await bge.embedQuery('tea')).toEqual(await cls.embedQuery(`${instruction}tea`));
    expect(await one(bge.embedDocuments(['tea']))).toEqual(await cls.embedQuery('tea'));
    expect(await cls.embedQuery('tea')).not.toEqual(await plain.embedQuery('tea'));
  });

  test.each([
    ['Xenova/all-MiniLM-L6-v2', 254],
    ['Xenova/all-MiniLM-L12-v2', 126],
    ['Xenova/paraphrase-multilingual-MiniLM-L12-v2', 126],
    ['Xenova/multi-qa-MiniLM-L6-cos-v1', 510],
  ])('%s reads %i tokens', async (model, maxTokens) => {
    const embedder = await as(model);
    expect(embedder.maxTokens).toBe(maxTokens);
    await embedder.close();
  });
});

describe('other models', () => {
  test('are used as the files beside them say', async () => {
    const embedder = await as('somebody/described', {
      '1_Pooling/config.json': { pooling_mode_mean_tokens: true, pooling_mode_cls_token: false },
      'sentence_bert_config.json': { max_seq_length: 64 },
      'config_sentence_transformers.json': { prompts: { query: 'search: ', document: 'text: ' } },
    });
    expect(await embedder.embedQuery('tea')).toEqual(await plain.embedQuery('search: tea'));
    expect(await one(embedder.embedDocuments(['tea']))).toEqual(await plain.embedQuery('text: tea'));
    expect(embedder.maxTokens).toBe(60);
  });

  test('without such files: mean of all tokens, no prefix, 512 tokens', async () => {
    const minilmItself = await loadEmbedder({ modelDirs: [modelsDirectory] });
    expect(await plain.embedQuery('tea')).toEqual(await minilmItself.embedQuery('tea'));
    expect(plain.maxTokens).toBe(510);
  });

  test('with a pooling we do not know are refused', async () => {
    const loading = as('somebody/last', { '1_Pooling/config.json': { pooling_mode_lasttoken: true } });
    await expect(loading).rejects.toMatchObject({
      code: 'model_invalid',
      message: expect.stringContaining('pooling_mode_lasttoken'),
    });
  });

  test.each(['config.json', 'tokenizer.json', '1_Pooling/config.json'])(
    'with a broken %s are refused by name',
    async (file) => {
      const loading = as('somebody/broken', { [file]: '<html>' });
      await expect(loading).rejects.toMatchObject({
        code: 'model_invalid',
        message: expect.stringContaining('somebody/broken'),
      });
      await rm(path.join(models, 'somebody/broken'), { recursive: true });
    },
  );
});

describe('fingerprints', () => {
  test('differ with name, pooling, prefixes, length and tokenizer, and not with the folder', async () => {
    const own = await loadEmbedder({ modelDirs: [modelsDirectory] });
    const copy = await as(minilm.id);
    expect(copy.fingerprint).toBe(own.fingerprint);
    const others = await Promise.all([
      as('somebody/a'),
      as('somebody/b', { '1_Pooling/config.json': { pooling_mode_cls_token: true } }),
      as('somebody/b2', { 'sentence_bert_config.json': { max_seq_length: 100 } }),
    ]);
    const all = [own, plain, ...others].map((embedder) => embedder.fingerprint);
    expect(new Set(all).size).toBe(all.length);
    for (const fingerprint of all) expect(fingerprint).toMatch(/^[\da-f]{64}$/);
  });
});
