import { compareHits, NearestHits } from '@kettle/vector-store';
import fc from 'fast-check';
import { expect, test } from 'vitest';

test('keeps what sorting everything and cutting would keep', () => {
  const hit = fc.record({
    id: fc.string({ unit: fc.constantFrom('a', 'B', 'b', '1'), maxLength: 3 }),
    // Few distances, so that ties are common.
    distance: fc.integer({ min: 0, max: 6 }).map((value) => value / 3),
  });
  const hits = fc.uniqueArray(hit, { selector: ({ id }) => id, maxLength: 60 });
  fc.assert(
    fc.property(hits, fc.integer({ min: 0, max: 70 }), (offered, limit) => {
      const nearest = new NearestHits(limit);
      for (const each of offered) {
        if (each.distance <= nearest.threshold) nearest.offer(each);
      }
      expect(nearest.sorted()).toEqual(offered.toSorted(compareHits).slice(0, limit));
    }),
  );
});
