import { existsSync } from 'node:fs';
import path from 'node:path';
import { model, modelsDirectory } from '@kettle/model-minilm';
import { env, pipeline } from '@xenova/transformers';
import { beforeAll, expect, test } from 'vitest';

type Embed = (text: string) => Promise<number[]>;
let embed: Embed;

beforeAll(async () => {
  env.allowRemoteModels = false;
  env.localModelPath = modelsDirectory;
  const extract = await pipeline('feature-extraction', model.id);
  embed = async (text) =>
    Array.from((await extract(text, { pooling: 'mean', normalize: true })).data as Float32Array);
});

test('the folder has the layout of the hub', () => {
  expect(path.isAbsolute(modelsDirectory)).toBe(true);
  for (const file of [
    'config.json',
    'tokenizer.json',
    'tokenizer_config.json',
    'onnx/model_quantized.onnx',
  ]) {
    expect(existsSync(path.join(modelsDirectory, model.id, file)), file).toBe(true);
  }
});

/**
 * Cosine similarities that the documentation of sentence-transformers prints for all-MiniLM-L6-v2, computed in
 * full precision. Weights of 8 bits and activations of 8 bits move them by up to 0.03.
 */
const published: readonly (readonly [string, string, number])[] = [
  ['A man is eating food.', 'A man is eating a piece of bread.', 0.7553],
  ['A man is eating food.', 'The girl is carrying a baby.', -0.0955],
  ['The weather is lovely today.', "It's so sunny outside!", 0.666],
  ['The weather is lovely today.', 'He drove to the stadium.', 0.1046],
  ["It's so sunny outside!", 'He drove to the stadium.', 0.1411],
];

test.each(published)('%j and %j are as similar as published', async (one, other, similarity) => {
  const [a, b] = [await embed(one), await embed(other)];
  const cosine = a.reduce((sum, value, index) => sum + value * b[index]!, 0);
  expect(Math.abs(cosine - similarity)).toBeLessThan(0.03);
});
