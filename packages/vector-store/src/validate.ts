import { VectorStoreError } from './errors.js';
import type { VectorRecord } from './vector-store.js';

const idPattern = /^[A-Za-z0-9._:-]{1,128}$/;

/**
 * Checks all records before a store takes any of them.
 *
 * @throws {VectorStoreError} naming the record's place in the array: `invalid_argument` for an id outside
 * 1 to 128 characters from [A-Za-z0-9._:-], `dimension_mismatch` or `invalid_vector` for its vector.
 */
export function checkRecords(records: readonly VectorRecord[], dimensions: number): void {
  for (const [index, record] of records.entries()) {
    if (typeof record.id !== 'string' || !idPattern.test(record.id)) {
      throw new VectorStoreError(
        'invalid_argument',
        `records[${index}].id is ${show(record.id)}: use 1 to 128 characters from A-Z a-z 0-9 . _ : -`,
      );
    }
    checkVector(record.vector, dimensions, `records[${index}].vector (id ${record.id})`);
  }
}

/**
 * Checks one vector.
 *
 * @param name What the message calls it.
 * @throws {VectorStoreError} `dimension_mismatch` for another length than `dimensions`; `invalid_vector` for
 * anything but a Float32Array, for NaN or infinite numbers (naming the place), and for nothing but zeros.
 */
export function checkVector(vector: Float32Array, dimensions: number, name = 'vector'): void {
  if (!(vector instanceof Float32Array)) {
    throw new VectorStoreError('invalid_vector', `${name} is ${show(vector)}: give a Float32Array.`);
  }
  if (vector.length !== dimensions) {
    throw new VectorStoreError(
      'dimension_mismatch',
      `${name} has ${vector.length} dimensions, the store has ${dimensions}: embed with the model the store was made for.`,
    );
  }
  let zero = true;
  for (let i = 0; i < dimensions; i++) {
    const value = vector[i]!;
    if (!Number.isFinite(value)) {
      throw new VectorStoreError('invalid_vector', `${name}[${i}] is ${value}: every number must be finite.`);
    }
    if (value !== 0) zero = false;
  }
  if (zero) {
    throw new VectorStoreError('invalid_vector', `${name} holds only zeros: it has no direction to compare.`);
  }
}

/** @throws {VectorStoreError} `invalid_argument` unless `topK` is an integer from 1. */
export function checkTopK(topK: number): void {
  if (!Number.isSafeInteger(topK) || topK < 1) {
    throw new VectorStoreError('invalid_argument', `topK is ${show(topK)}: give an integer from 1.`);
  }
}

/** A value for a message: short, and never the whole of something large. */
function show(value: unknown): string {
  if (typeof value === 'string')
    return JSON.stringify(value.length > 140 ? `${value.slice(0, 140)}…` : value);
  return typeof value === 'object' && value !== null ? Object.prototype.toString.call(value) : String(value);
}
