import { normaliseInto, unitDistance } from '@kettle/vector-store';
import fc from 'fast-check';
import { expect, test } from 'vitest';

const pair = fc.integer({ min: 1, max: 40 }).chain((dimensions) => {
  const vector = fc
    .float32Array({ minLength: dimensions, maxLength: dimensions, noNaN: true, noDefaultInfinity: true })
    .filter((values) => values.some((value) => value !== 0));
  return fc.tuple(vector, vector);
});

/** 1 − cos by the book, on numbers scaled so that squares neither overflow nor vanish. */
function cosineDistance(a: Float32Array, b: Float32Array): number {
  const scaled = (vector: Float32Array) => {
    const largest = Math.max(...vector.map(Math.abs));
    return Array.from(vector, (value) => value / largest);
  };
  const [x, y] = [scaled(a), scaled(b)];
  return (
    1 - x.reduce((sum, value, place) => sum + value * y[place]!, 0) / (Math.hypot(...x) * Math.hypot(...y))
  );
}

test('the distance of normalised vectors is 1 − cos, whatever their length and dimension', () => {
  fc.assert(
    fc.property(pair, fc.integer({ min: 0, max: 5 }), ([a, b], offset) => {
      const query = new Float32Array(a.length);
      normaliseInto(a, query);
      const matrix = new Float32Array(offset + b.length);
      normaliseInto(b, matrix, offset);
      const distance = unitDistance(query, matrix, offset);
      expect(Math.abs(distance - cosineDistance(a, b))).toBeLessThan(1e-5);
      expect(distance).toBeGreaterThanOrEqual(0);
      expect(distance).toBeLessThanOrEqual(2);
    }),
  );
});
