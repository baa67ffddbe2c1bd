import type { EmbedderErrorCode, EmbedderErrorDetails } from '../errors.js';
import type { ModelProfile } from '../model/profile.js';

/** What a job wants done. Jobs of an earlier kind go first: a person waits for a query. */
export const jobKinds = ['query', 'count', 'documents'] as const;
export type JobKind = (typeof jobKinds)[number];

/** A model to be loaded: its files and how it is to be used. */
export interface ModelFiles {
  /** Id, for messages. */
  readonly model: string;
  /** Folder that holds `config.json` and the tokenizer's files. */
  readonly directory: string;
  /** The ONNX file. */
  readonly network: string;
  readonly profile: ModelProfile;
}

/** From the main thread to the model's thread. `id` is that of the call that awaits the answer. */
export type Request =
  | { readonly type: 'load'; readonly id: number; readonly handle: number; readonly files: ModelFiles }
  | { readonly type: 'unload'; readonly handle: number }
  | {
      readonly type: 'run';
      readonly id: number;
      readonly handle: number;
      readonly kind: JobKind;
      readonly texts: readonly string[];
    }
  | { readonly type: 'cancel'; readonly id: number };

/** What a loaded model tells about itself. */
export interface ModelFacts {
  readonly dimensions: number;
  readonly maxTokens: number;
}

/** An {@link EmbedderError}'s parts, since classes don't survive the way between threads. */
export interface Failure {
  readonly code: EmbedderErrorCode;
  readonly message: string;
  readonly details: EmbedderErrorDetails;
  readonly cause?: string | undefined;
}

/** From the model's thread to the main thread. */
export type Response =
  | { readonly id: number; readonly result: ModelFacts | readonly Float32Array[] | readonly number[] }
  | { readonly id: number; readonly failure: Failure };
