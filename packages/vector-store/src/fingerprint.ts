import { VectorStoreError } from './errors.js';

/** What a store was made for. Vectors of another fingerprint mean something else, so a store refuses them. */
export interface Fingerprint {
  /** Names the model and everything that changes its vectors: weights, pooling, prefixes. */
  readonly model: string;
  /** Length of every vector. */
  readonly dimensions: number;
  readonly metric: 'cosine';
}

/**
 * A frozen copy of `fingerprint`.
 *
 * @throws {VectorStoreError} `invalid_argument` when the model is empty, `dimensions` is not a positive
 * integer, or the metric is unknown.
 */
export function checkFingerprint(fingerprint: Fingerprint): Fingerprint {
  const { model, dimensions, metric } = fingerprint;
  if (typeof model !== 'string' || model === '') {
    throw new VectorStoreError(
      'invalid_argument',
      'fingerprint.model is empty: name the model that makes the vectors.',
    );
  }
  if (!Number.isInteger(dimensions) || dimensions < 1) {
    throw new VectorStoreError(
      'invalid_argument',
      `fingerprint.dimensions is ${dimensions}: give the length of the model's vectors, an integer from 1.`,
    );
  }
  if (metric !== 'cosine') {
    throw new VectorStoreError(
      'invalid_argument',
      `fingerprint.metric is ${JSON.stringify(metric)}: only "cosine" is known.`,
    );
  }
  return Object.freeze({ model, dimensions, metric });
}

/**
 * Refuses data that was stored under another fingerprint.
 *
 * @param found The fingerprint beside the stored data; `unknown`, because it comes from a file or a server.
 * @param wanted The fingerprint the caller's vectors have.
 * @param place Where the data lies, for the message.
 * @throws {VectorStoreError} `fingerprint_mismatch`
 */
export function assertSameFingerprint(found: unknown, wanted: Fingerprint, place: string): void {
  const { model, dimensions, metric } = (found ?? {}) as Partial<Fingerprint>;
  if (model === wanted.model && dimensions === wanted.dimensions && metric === wanted.metric) return;
  throw new VectorStoreError(
    'fingerprint_mismatch',
    `${place} holds vectors of ${describe({ model, dimensions, metric })}, not of ${describe(wanted)}: ` +
      'use another place for this model, or clear that one.',
  );
}

function describe(fingerprint: { [Key in keyof Fingerprint]: Fingerprint[Key] | undefined }): string {
  const { model, dimensions, metric } = fingerprint;
  return `${model ?? 'an unknown model'} (${dimensions ?? '?'} dimensions, ${metric ?? 'unknown metric'})`;
}
