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

/** To the thread or process that runs models. `id` is that of the call that awaits the answer. */
export type Request =
  | { readonly type: 'load'; readonly id: number; readonly handle: number; readonly files: ModelFiles }
  | { readonly type: 'unload'; readonly handle: number }
  | {
      readonly type: 'run';
      readonly id: number;
      readonly handle: number;
      readonly kind: JobKind;
      readonly texts: readonly string[];
      /** Where these texts stand among those of the caller, for messages about one of them. */
      readonly place: Place;
    }
  | { readonly type: 'cancel'; readonly id: number };

/** The first of some texts has this index among `of` texts. */
export interface Place {
  readonly from: number;
  readonly of: number;
}

/** What a loaded model tells about itself. */
export interface ModelFacts {
  readonly dimensions: number;
  readonly maxTokens: number;
}

/** An {@link EmbedderError}'s parts, since classes don't survive the way between threads and processes. */
export interface Failure {
  readonly code: EmbedderErrorCode;
  readonly message: string;
  readonly details: EmbedderErrorDetails;
  readonly cause?: string | undefined;
}

/** From the thread or process that runs models. */
export type Response =
  | { readonly id: number; readonly result: ModelFacts | readonly Float32Array[] | readonly number[] }
  | { readonly id: number; readonly failure: Failure };
