import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  bm25,
  difficultyOfStores,
  drawn,
  fitNoise,
  grow,
  grownLike,
  JudgmentsError,
  mean,
  medianDimension,
  medianNearest,
  nearest,
  nearestOfPrefixes,
  quantile,
  readJudgments,
  relativeContrasts,
  seededRandom,
  splitForFit,
  surroundings,
  type Vectors,
  vectorAt,
  vectorCount,
  wordMatch,
} from '@kettle/benchmarks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kettle-judgments-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function write(name: string, text: string): Promise<string> {
  const file = join(directory, name);
  await writeFile(file, text);
  return file;
}

describe('judgments in BEIR layout', () => {
  const twoQuestions = '{"_id": "q1", "text": "dogs?", "metadata": {}}\r\n\n{"_id": 2, "text": "cats?"}\n';

  test('reads questions, grades, and which questions have no answer', async () => {
    const queries = await write('queries.jsonl', twoQuestions);
    const qrels = await write('qrels.tsv', 'query-id\tcorpus-id\tscore\nq1\tpets.txt\t2\nq1\tfaq.txt\t0\n');
    const judgments = await readJudgments(queries, qrels);
    expect(judgments.queries).toEqual([
      { id: 'q1', text: 'dogs?' },
      { id: '2', text: 'cats?' },
    ]);
    expect([...judgments.answerable]).toEqual([
      [
        'q1',
        new Map([
          ['pets.txt', 2],
          ['faq.txt', 0],
        ]),
      ],
    ]);
    expect([...judgments.unanswerable]).toEqual(['2']);
  });

  test('without qrels nothing is judged', async () => {
    const { queries, answerable, unanswerable } = await readJudgments(
      await write('only.jsonl', twoQuestions),
    );
    expect([queries.length, answerable.size, unanswerable.size]).toEqual([2, 0, 0]);
  });

  test.each([
    ['no JSON', 'dogs?', undefined, /bad\.jsonl:1 is not JSON/],
    ['no text', '{"_id": "q"}', undefined, /bad\.jsonl:1 has no "text"/],
    ['no id', '{"text": "x"}', undefined, /bad\.jsonl:1 has no "_id"/],
    ['an id twice', '{"_id":"q","text":"x"}\n{"_id":"q","text":"y"}', undefined, /uses an _id twice/],
    ['nothing', '\n', undefined, /holds no questions/],
    ['a qrels line of three words', '{"_id":"q","text":"x"}', 'q pets.txt 1\n', /bad\.tsv:1 must be/],
    [
      'a grade that is no number',
      '{"_id":"q","text":"x"}',
      'h\th\th\nq\tpets.txt\tgood\n',
      /bad\.tsv:2 must be/,
    ],
    ['half a grade', '{"_id":"q","text":"x"}', 'h\th\th\nq\tpets.txt\t0.5\n', /bad\.tsv:2 must be/],
    ['qrels of other questions', '{"_id":"q","text":"x"}', 'other\tpets.txt\t1\n', /judges no question/],
  ])('refuses %s, naming file and line', async (_, queries, qrels, message) => {
    const queriesFile = await write('bad.jsonl', queries);
    const qrelsFile = qrels === undefined ? undefined : await write('bad.tsv', qrels);
    const reading = readJudgments(queriesFile, qrelsFile);
    await expect(reading).rejects.toThrow(JudgmentsError);
    await expect(reading).rejects.toThrow(message);
  });

  test('names a file that is not there', async () => {
    await expect(readJudgments(join(directory, 'absent.jsonl'))).rejects.toThrow(
      /absent\.jsonl can't be read/,
    );
  });
});

describe('baselines', () => {
  const documents = [
    { name: 'dogs.txt', text: 'Dogs may sit on the terrace. Dogs drink water.' },
    {
      name: 'tea.txt',
      text: 'Tea is poured at four on the terrace, with milk and with lemon and with sugar.',
    },
    { name: 'cafe.txt', text: 'The CAFÉ opens at nine.' },
  ];

  test('BM25 gives the scores of its formula', () => {
    // "dogs" is in one of three documents: ln(1 + 2.5 / 1.5) = 0.9808. Twice in 9 words, average 10: a length
    // factor of 0.25 + 0.75 × 0.9 = 0.925, so 0.9808 × 2 × 2.2 / (2 + 1.2 × 0.925) = 1.3877. "terrace" is in two:
    // ln(1 + 1.5 / 2.5) = 0.4700; in dogs.txt × 2.2 / (1 + 1.11) = 0.4901; in tea.txt (16 words) less.
    // With 16 words the length factor is 0.25 + 0.75 × 1.6 = 1.45: 0.4700 × 2.2 / (1 + 1.74) = 0.3774.
    const search = bm25.build(documents);
    const rounded = (query: string) =>
      search(query).map(({ name, score }) => [name, Number(score.toFixed(4))]);
    expect(rounded('dogs')).toEqual([['dogs.txt', 1.3877]]);
    expect(rounded('terrace')).toEqual([
      ['dogs.txt', 0.4901],
      ['tea.txt', 0.3774],
    ]); // the shorter document first
    expect(rounded('dogs terrace')[0]).toEqual(['dogs.txt', 1.8777]);
    expect(rounded('milk terrace')[0]![0]).toBe('tea.txt'); // the rarer word weighs more
  });

  test('word match counts different words', () => {
    const search = wordMatch.build(documents);
    expect(search('dogs dogs dogs tea milk')).toEqual([
      { name: 'tea.txt', score: 2 },
      { name: 'dogs.txt', score: 1 },
    ]);
  });

  test.each([bm25, wordMatch])(
    '$name ignores case and accents, and finds nothing without a common word',
    (baseline) => {
      const search = baseline.build(documents);
      expect(search('cafe').map(({ name }) => name)).toEqual(['cafe.txt']);
      expect(search('bicycle')).toEqual([]);
      expect(search('')).toEqual([]);
    },
  );
});

/** Random points on a sphere of `inner` dimensions, in a space of 24. */
function sphere(count: number, inner: number, seed: number): Vectors {
  const random = seededRandom(seed);
  const dimensions = 24;
  const data = new Float32Array(count * dimensions);
  for (let i = 0; i < count; i++) {
    const vector = Array.from({ length: inner + 1 }, () => random() + random() + random() - 1.5);
    const norm = Math.hypot(...vector);
    vector.forEach((value, index) => {
      data[i * dimensions + index] = value / norm;
    });
  }
  return { dimensions, data };
}

describe('geometry', () => {
  test('nearest neighbours of each beginning of the corpus agree with sorting everything', () => {
    const vectors = sphere(200, 6, 1);
    const query = vectorAt(sphere(1, 6, 2), 0);
    const sorted = (size: number) =>
      Array.from({ length: size }, (_, index) => {
        const vector = vectorAt(vectors, index);
        return { index, distance: 1 - vector.reduce((sum, value, i) => sum + value * query[i]!, 0) };
      })
        .sort((a, b) => a.distance - b.distance)
        .slice(0, 5)
        .map(({ index }) => index);
    const found = nearestOfPrefixes(vectors, query, 5, [10, 100, 200]);
    expect(found.map((list) => list.map(({ index }) => index))).toEqual([
      sorted(10),
      sorted(100),
      sorted(200),
    ]);
  });

  test('distances count every dimension, however many there are', () => {
    for (const dimensions of [1, 2, 3, 4, 5, 7, 384]) {
      const from = Float32Array.from({ length: dimensions }, (_, index) => Math.sin(index + 1));
      const to = Float32Array.from({ length: dimensions }, (_, index) => Math.cos(index + 1));
      const product = from.reduce((sum, value, index) => sum + value * to[index]!, 0);
      const [found] = nearest({ dimensions, data: to }, from, 1);
      expect(found!.distance, `${dimensions}`).toBeCloseTo(1 - product, 9);
    }
  });

  test('the intrinsic dimension is that of the shape the vectors lie on', () => {
    for (const inner of [3, 8]) {
      const estimate = medianDimension(sphere(3000, inner, 1));
      expect(estimate).toBeGreaterThan(inner * 0.75);
      expect(estimate).toBeLessThan(inner * 1.25);
    }
  });

  test('a vector is no neighbour of itself', () => {
    const vectors = sphere(100, 6, 1);
    for (const { nearest } of surroundings(vectors)) expect(nearest).toBeGreaterThan(1e-4);
  });

  test('contrast falls as the dimension rises', () => {
    const contrast = (inner: number) => mean(relativeContrasts(sphere(500, inner, 1), sphere(50, inner, 2)));
    expect(contrast(3)).toBeGreaterThan(2 * contrast(15));
  });
});

describe('growing a corpus', () => {
  const real = sphere(800, 10, 3);

  test('keeps the real vectors first, makes unit vectors, and a smaller corpus is a beginning of a larger one', () => {
    const small = grow(real, { seed: 5, size: 900, noise: 0.7, directions: 10 });
    const large = grow(real, { seed: 5, size: 1500, noise: 0.7, directions: 10 });
    expect(small.data.subarray(0, real.data.length)).toEqual(real.data);
    expect(large.data.subarray(0, small.data.length)).toEqual(small.data);
    for (let i = 0; i < vectorCount(large); i++) expect(Math.hypot(...vectorAt(large, i))).toBeCloseTo(1, 5);
    expect(grow(real, { seed: 6, size: 900, noise: 0.7, directions: 10 }).data).not.toEqual(small.data);
  });

  test('four vectors are enough to fit growth to; fewer are refused in so many words', () => {
    expect(vectorCount(grow(real, { seed: 1, size: 900, ...fitNoise(sphere(4, 10, 3), 1) }))).toBe(900);
    for (const count of [1, 2, 3])
      expect(() => fitNoise(sphere(count, 10, 3), 1)).toThrow(
        `from 4 passages at least, and this one has ${count}`,
      );
  });

  test('makes nothing twice', () => {
    const grown = grow(real, { seed: 5, size: 1100, noise: 0.7, directions: 10 });
    for (let i = vectorCount(real); i < 1100; i++)
      expect(nearest(grown, vectorAt(grown, i), 1, i)[0]!.distance).toBeGreaterThan(1e-6);
  });

  test('fitted growth makes vectors that lie like real ones that nobody grew from', () => {
    const { seeds, heldOut } = splitForFit(real, 5);
    expect([vectorCount(seeds), vectorCount(heldOut)]).toEqual([100, 700]);
    const likeness = fitNoise(real, 5);
    const grown = grownLike(seeds, vectorCount(heldOut), likeness, 5);
    expect(medianNearest(grown) / medianNearest(heldOut)).toBeGreaterThan(0.85);
    expect(medianNearest(grown) / medianNearest(heldOut)).toBeLessThan(1.15);
    // The dimension is not fitted.
    expect(medianDimension(grown) / medianDimension(heldOut)).toBeGreaterThan(0.75);
    expect(medianDimension(grown) / medianDimension(heldOut)).toBeLessThan(1.3);
    // Mixtures without noise lie on lines between real vectors: far too easy.
    const lines = grownLike(seeds, vectorCount(heldOut), { ...likeness, noise: 0 }, 5);
    expect(medianDimension(lines)).toBeLessThan(0.5 * medianDimension(heldOut));
  });

  test('vectors stay as hard to search however many are grown from the same real ones', () => {
    const seeds = sphere(150, 8, 3);
    const likeness = { noise: 0.8, directions: 8 };
    const dimension = (count: number) => medianDimension(grownLike(seeds, count, likeness, 5));
    expect(dimension(6000) / dimension(1000)).toBeLessThan(1.25);
  });

  test('stores stand beside all real vectors in equal number and as they are', () => {
    const parent = sphere(150, 8, 3);
    const queries = sphere(20, 8, 4);
    const grown = grow(parent, { seed: 5, size: 3000, noise: 0.8, directions: 8 });
    const sizes = [200, 1000, 3000];
    const asked = drawn(vectorCount(queries), 5);
    const distances = sizes.map((size) =>
      asked.map((query) =>
        nearestOfPrefixes(grown, vectorAt(queries, query), 10, [size])[0]!.map(({ distance }) => distance),
      ),
    );
    const measured = difficultyOfStores({
      real: parent,
      grown,
      queries,
      truth: { sizes, distances },
      seed: 5,
    });
    const median = (data: string, phase: string, passages: number, metric = 'relative_contrast') => {
      const of = measured.filter(
        (one) =>
          one.metric === metric &&
          one.labels.data === data &&
          one.labels.phase === phase &&
          one.labels.passages === passages,
      );
      expect(of, `${metric} ${data} ${phase} ${passages}`).toHaveLength(1);
      return quantile(of[0]!.runs.flat(), 0.5);
    };
    // Of 200 vectors most are the real ones.
    expect(new Set(measured.map(({ labels }) => labels.passages))).toEqual(new Set([150, 1000, 3000]));
    const whole = quantile(relativeContrasts(grown, queries), 0.5);
    expect(median('grown', 'all', 3000) / whole).toBeGreaterThan(0.95);
    expect(median('grown', 'all', 3000) / whole).toBeLessThan(1.05);
    // What is nearest in a whole store is nearer than among as many as there are real ones.
    const near = (phase: string) => median('grown', phase, 3000, 'nearest_distance');
    expect(near('all')).toBeLessThan(near('as many'));
    expect(median('grown', 'as many', 3000) / median('real', 'all', 150)).toBeGreaterThan(0.8);
  });
});
