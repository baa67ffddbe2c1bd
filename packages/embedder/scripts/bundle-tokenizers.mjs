// Takes from @xenova/transformers what is used of it, its tokenizers, as one file. The whole package would bring an
// image library, which npm downloads from outside of the registry, and onnxruntime once more, for browsers.
import { cpSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

const { resolve } = createRequire(import.meta.url);
const library = dirname(dirname(resolve('@xenova/transformers')));
const jinja = dirname(dirname(createRequire(join(library, 'src')).resolve('@huggingface/jinja')));
const target = fileURLToPath(new URL('../dist/transformers', import.meta.url));

const entry = '\0entry';
const forBrowsers = '\0onnxruntime-web';
await build({
  input: { tokenizers: entry },
  platform: 'node',
  external: ['onnxruntime-node'],
  plugins: [
    {
      name: 'tokenizers-only',
      resolveId: (id) => (id === entry ? entry : id === 'onnxruntime-web' ? forBrowsers : undefined),
      load: (id) =>
        id === entry
          ? `export { AutoTokenizer } from ${JSON.stringify(join(library, 'src/tokenizers.js'))};
             export { env } from ${JSON.stringify(join(library, 'src/env.js'))};`
          : id === forBrowsers
            ? 'export default undefined;'
            : undefined,
    },
  ],
  output: { dir: target, format: 'esm' },
  logLevel: 'warn',
});
for (const [from, name] of [
  [library, 'LICENSE'],
  [jinja, 'LICENSE-jinja'],
])
  cpSync(join(from, 'LICENSE'), join(target, name));
