import { access } from 'node:fs/promises';
import path from 'node:path';

/** Files without which a model can't be run, in its folder. */
export const requiredFiles = ['config.json', 'tokenizer.json', 'tokenizer_config.json'] as const;

/** Files that say how sentence-transformers uses the model; many models on the hub have none of them. */
export const optionalFiles = [
  '1_Pooling/config.json',
  'sentence_bert_config.json',
  'config_sentence_transformers.json',
] as const;

/** The network, quantised or else in full precision: the first that is there is used. */
export const networkFiles = ['onnx/model_quantized.onnx', 'onnx/model.onnx'] as const;

/** A model on disk, with all its required files. */
export interface ModelLocation {
  readonly directory: string;
  /** Absolute path of the ONNX file. */
  readonly network: string;
}

/** What a folder has of a model. */
export type Finding =
  | { readonly found: ModelLocation }
  | { readonly directory: string; readonly missing: readonly string[] };

/** Looks for `<directory>/<model>/…`, hub layout. */
export async function findModel(directory: string, model: string): Promise<Finding> {
  const folder = path.resolve(directory, model);
  const missing: string[] = [];
  for (const file of requiredFiles) if (!(await exists(path.join(folder, file)))) missing.push(file);
  for (const file of networkFiles) {
    const network = path.join(folder, file);
    if (missing.length === 0 && (await exists(network))) return { found: { directory: folder, network } };
  }
  if (missing.length === 0) missing.push(networkFiles.join(' or '));
  return { directory: folder, missing };
}

export async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
