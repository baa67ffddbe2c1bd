import {
  assertSameFingerprint,
  checkFingerprint,
  type Fingerprint,
  VectorStoreError,
} from '@kettle/vector-store';
import { describe, expect, test } from 'vitest';

const fingerprint: Fingerprint = { model: 'm', dimensions: 3, metric: 'cosine' };

describe('VectorStoreError', () => {
  test('is known by its mark, also where classes differ', () => {
    const error = new VectorStoreError('timeout', 'too slow', { retryable: true, cause: 1 });
    expect(error).toMatchObject({ name: 'VectorStoreError', code: 'timeout', retryable: true, cause: 1 });
    expect(VectorStoreError.isInstance(error)).toBe(true);
    const foreign = Object.defineProperty(new Error('x'), Symbol.for('kettle.vector-store.error'), {
      value: true,
    });
    expect(VectorStoreError.isInstance(foreign)).toBe(true);
    for (const other of [new Error('x'), null, undefined, 'timeout', { code: 'timeout' }]) {
      expect(VectorStoreError.isInstance(other)).toBe(false);
    }
  });
});

describe('fingerprints', () => {
  test('are copied and frozen', () => {
    const given = { ...fingerprint };
    const checked = checkFingerprint(given);
    given.dimensions = 4;
    expect(checked).toEqual(fingerprint);
    expect(Object.isFrozen(checked)).toBe(true);
  });

  test.each([
    [{ ...fingerprint, model: '' }, /model is empty/],
    [{ ...fingerprint, dimensions: 0 }, /dimensions is 0/],
    [{ ...fingerprint, dimensions: 1.5 }, /dimensions is 1.5/],
    [{ ...fingerprint, metric: 'l2' as 'cosine' }, /metric is "l2"/],
  ])('%o is refused', (value, message) => {
    expect(() => checkFingerprint(value)).toThrow(message);
  });

  test.each([undefined, null, {}, 'text', { ...fingerprint, model: 'n' }, { ...fingerprint, dimensions: 4 }])(
    'found data of %o is refused, naming the place',
    (found) => {
      expect(() => assertSameFingerprint(found, fingerprint, '/some/folder')).toThrow(
        expect.objectContaining({
          code: 'fingerprint_mismatch',
          message: expect.stringContaining('/some/folder'),
        }),
      );
    },
  );

  test('found data of the same fingerprint is taken', () => {
    assertSameFingerprint(JSON.parse(JSON.stringify(fingerprint)), fingerprint, 'there');
  });
});
