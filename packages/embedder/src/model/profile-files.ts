import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { EmbedderError } from '../errors.js';
import { knownProfile, type ModelProfile, type Pooling } from './profile.js';

type Json = Readonly<Record<string, unknown>>;

/**
 * How a model wants to be used: by its family's name, else by the files that sentence-transformers keeps beside
 * a model, else the commonest way (mean of all tokens, no prefixes, as long as the network's positions reach).
 */
export async function profileOf(model: string, directory: string): Promise<ModelProfile> {
  const known = knownProfile(model);
  if (known) return known;
  const read = (file: string): Promise<Json> => readJson(model, path.join(directory, file));
  const prompts = ((await read('config_sentence_transformers.json')).prompts ?? {}) as Json;
  return {
    pooling: poolingOf(model, await read('1_Pooling/config.json')),
    queryPrefix: text(prompts.query),
    passagePrefix: text(prompts.passage) || text(prompts.document),
    maxInputTokens: longestInput([
      (await read('sentence_bert_config.json')).max_seq_length,
      (await read('tokenizer_config.json')).model_max_length,
      positions(await read('config.json')),
    ]),
  };
}

function poolingOf(model: string, config: Json): Pooling {
  const modes = Object.keys(config).filter((key) => key.startsWith('pooling_mode_') && config[key] === true);
  if (modes.length === 0 || (modes.length === 1 && modes[0] === 'pooling_mode_mean_tokens')) return 'mean';
  if (modes.length === 1 && modes[0] === 'pooling_mode_cls_token') return 'cls';
  throw new EmbedderError(
    'model_invalid',
    `${model} pools its tokens by ${modes.join(' and ')}; only pooling_mode_mean_tokens and pooling_mode_cls_token are known. Choose another model`,
  );
}

/** RoBERTa and its kin count positions from the padding token's id + 1, so that many of them are never used. */
function positions(config: Json): number | undefined {
  const all = config.max_position_embeddings;
  if (typeof all !== 'number') return undefined;
  const offset = /roberta|camembert|mpnet/.test(text(config.model_type)) ? 2 : 0;
  return all - offset;
}

function longestInput(limits: readonly unknown[]): number {
  // Tokenizers without a limit state a huge number, 1e30, instead of none.
  return Math.min(512, ...limits.filter((limit): limit is number => typeof limit === 'number' && limit > 0));
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A file's object, or an empty one when there is no such file. */
async function readJson(model: string, file: string): Promise<Json> {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'));
    if (typeof value === 'object' && value !== null) return value as Json;
    throw new TypeError('not an object');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new EmbedderError(
      'model_invalid',
      `${file} of ${model} isn't the JSON object it should be: ${cause}`,
      {
        cause,
      },
    );
  }
}
