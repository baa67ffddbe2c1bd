import { checkRecords, checkTopK, checkVector, VectorStoreError } from '@kettle/vector-store';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

const good = Float32Array.of(1, 2, 3);

describe('checkRecords', () => {
  test('names the place and the value of a bad id', () => {
    const records = [
      { id: 'a', vector: good },
      { id: 'b c', vector: good },
    ];
    expect(() => checkRecords(records, 3)).toThrow(
      expect.objectContaining({
        code: 'invalid_argument',
        message: expect.stringMatching(/^records\[1\]\.id is "b c": use 1 to 128/),
      }),
    );
  });

  test('does not repeat a long id in full', () => {
    const records = [{ id: 'x'.repeat(100_000), vector: good }];
    expect(() => checkRecords(records, 3)).toThrow(
      expect.objectContaining({ message: expect.stringMatching(/^.{0,300}$/) }),
    );
  });

  test('names the place, the id and the number of a bad vector', () => {
    const records = [
      { id: 'a', vector: good },
      { id: 'b', vector: Float32Array.of(1, Number.NaN, 3) },
    ];
    expect(() => checkRecords(records, 3)).toThrow(/^records\[1\]\.vector \(id b\)\[1\] is NaN/);
  });

  test('takes exactly the ids of the allowed characters, 1 to 128 of them', () => {
    const character = fc.constantFrom(...Array.from('azAZ09._:- /\\é\n\u0000,;"'));
    fc.assert(
      fc.property(fc.string({ unit: character, maxLength: 140 }), (id) => {
        const allowed = /^[A-Za-z0-9._:-]{1,128}$/.test(id);
        const check = () => checkRecords([{ id, vector: good }], 3);
        if (allowed) check();
        else expect(check).toThrow(VectorStoreError);
      }),
    );
  });
});

describe('checkVector', () => {
  test('says both dimensions', () => {
    expect(() => checkVector(good, 4)).toThrow(/has 3 dimensions, the store has 4/);
  });

  test.each([[[1, 2, 3]], ['abc'], [null], [undefined], [new Float64Array(3)]])(
    'refuses %s, which is no Float32Array',
    (value) => {
      expect(() => checkVector(value as unknown as Float32Array, 3)).toThrow(
        expect.objectContaining({ code: 'invalid_vector' }),
      );
    },
  );

  test('takes any finite vector with a number that is not zero', () => {
    const values = fc.float32Array({ minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(values, (vector) => {
        const allowed = vector.every(Number.isFinite) && vector.some((value) => value !== 0);
        const check = () => checkVector(vector, vector.length);
        if (allowed) check();
        else expect(check).toThrow(expect.objectContaining({ code: 'invalid_vector' }));
      }),
    );
  });
});

test('checkTopK takes the integers from 1', () => {
  for (const topK of [1, 50, 1_000_000]) checkTopK(topK);
  for (const topK of [0, -1, 0.5, 2 ** 60, Number.NaN, '1' as unknown as number]) {
    expect(() => checkTopK(topK)).toThrow(`topK is ${typeof topK === 'string' ? '"1"' : topK}`);
  }
});
