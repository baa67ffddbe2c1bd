import path from 'node:path';
import ort from 'onnxruntime-node';
import { EmbedderError } from '../errors.js';
import type { ModelFiles } from '../serving/messages.js';
import { AutoTokenizer, env, type PreTrainedTokenizer } from '../transformers/tokenizers.js';
import { pool } from './pooling.js';

// A CommonJS module, whose classes Node can't see as named exports.
const { InferenceSession, Tensor } = ort;

// Files are fetched and checked before they come here; the library must not look anywhere else.
env.allowRemoteModels = false;
env.useFSCache = false;

const knownInputs = new Set(['input_ids', 'attention_mask', 'token_type_ids']);

/**
 * A model in memory. Runs one text at a time: quantised models take the scale of their activations from the
 * whole batch, so a text would get another vector in other company; and padding makes batches slower anyway.
 */
export class LoadedModel {
  readonly #files: ModelFiles;
  readonly #tokenizer: PreTrainedTokenizer;
  readonly #session: ort.InferenceSession;
  /** Tokens that are there before the text comes in: special ones, and each prefix. */
  readonly #overhead: { readonly query: number; readonly passage: number };
  readonly #hasTokenTypes: boolean;
  readonly #output: string;
  /** Longest text in tokens, without special tokens and prefix. */
  readonly maxTokens: number;

  private constructor(files: ModelFiles, tokenizer: PreTrainedTokenizer, session: ort.InferenceSession) {
    const { profile } = files;
    this.#files = files;
    this.#tokenizer = tokenizer;
    this.#session = session;
    this.#overhead = {
      query: tokenizer.encode(profile.queryPrefix).length,
      passage: tokenizer.encode(profile.passagePrefix).length,
    };
    this.#hasTokenTypes = session.inputNames.includes('token_type_ids');
    this.#output = session.outputNames.includes('last_hidden_state')
      ? 'last_hidden_state'
      : session.outputNames[0]!;
    this.maxTokens = profile.maxInputTokens - Math.max(this.#overhead.query, this.#overhead.passage);
  }

  /**
   * Loads a model that runs a text on so many threads, by default on all cores. The vectors don't depend on it.
   * Rejects with `model_invalid` when its files can't be read as one.
   */
  static async load(files: ModelFiles, threads?: number): Promise<LoadedModel> {
    const tokenizer = await loadTokenizer(files);
    const session = await loadSession(files, threads);
    return new LoadedModel(files, tokenizer, session);
  }

  async embedQuery(text: string): Promise<Float32Array<ArrayBuffer>> {
    return this.#embed(text, this.#files.profile.queryPrefix, this.#overhead.query);
  }

  async embedPassage(text: string): Promise<Float32Array<ArrayBuffer>> {
    return this.#embed(text, this.#files.profile.passagePrefix, this.#overhead.passage);
  }

  /** Tokens of a passage, without special tokens and prefix. */
  countTokens(text: string): number {
    return this.#tokenizer.encode(this.#files.profile.passagePrefix + text).length - this.#overhead.passage;
  }

  async #embed(text: string, prefix: string, overhead: number): Promise<Float32Array<ArrayBuffer>> {
    const ids = this.#tokenizer.encode(prefix + text);
    const tokens = ids.length - overhead;
    if (tokens > this.maxTokens) throw tooLong(this.#files.model, tokens, this.maxTokens);
    const shape = [1, ids.length];
    const feeds: Record<string, ort.Tensor> = {
      input_ids: new Tensor('int64', BigInt64Array.from(ids, BigInt), shape),
      attention_mask: new Tensor('int64', new BigInt64Array(ids.length).fill(1n), shape),
    };
    if (this.#hasTokenTypes) {
      feeds.token_type_ids = new Tensor('int64', new BigInt64Array(ids.length), shape);
    }
    const states = (await this.#session.run(feeds))[this.#output]!;
    return pool(states.data as Float32Array, states.dims.at(-1)!, this.#files.profile.pooling);
  }
}

function tooLong(model: string, tokens: number, limit: number): EmbedderError {
  return new EmbedderError('text_too_long', `has ${tokens} tokens, but ${model} reads at most ${limit}`, {
    details: { tokens, limit },
  });
}

async function loadTokenizer({ model, directory }: ModelFiles): Promise<PreTrainedTokenizer> {
  // The library joins this folder and a model's name; it isn't used again after loading.
  env.localModelPath = path.dirname(directory);
  try {
    return await AutoTokenizer.from_pretrained(path.basename(directory));
  } catch (cause) {
    throw new EmbedderError(
      'model_invalid',
      `the tokenizer of ${model} can't be read. Delete ${directory} to have it fetched again, or take another model`,
      {
        cause,
      },
    );
  }
}

async function loadSession(
  { model, directory, network }: ModelFiles,
  threads: number | undefined,
): Promise<ort.InferenceSession> {
  let session: ort.InferenceSession;
  try {
    // From its path: onnxruntime 1.14 ignores all options when it is given bytes.
    session = await InferenceSession.create(network, {
      executionProviders: ['cpu'],
      ...(threads !== undefined && { intraOpNumThreads: threads }),
    });
  } catch (cause) {
    throw new EmbedderError(
      'model_invalid',
      `${network} of ${model} isn't an ONNX model that can be run here. Delete ${directory} to have it fetched again, or take another model`,
      {
        cause,
      },
    );
  }
  const unknown = session.inputNames.filter((name) => !knownInputs.has(name));
  if (unknown.length > 0) {
    throw new EmbedderError(
      'model_invalid',
      `${network} of ${model} wants the inputs ${unknown.join(', ')}, which text embedding models don't have`,
    );
  }
  return session;
}
