import { type Baseline, ranked } from './baseline.js';
import { words } from './words.js';

const k1 = 1.2;
const b = 0.75;

interface Posting {
  readonly name: string;
  readonly count: number;
}

/**
 * Okapi BM25 over whole documents (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond",
 * 2009), k1 = 1.2 and b = 0.75, with Lucene's weight ln(1 + (N − n + 0.5) / (n + 0.5)) for a word in n of N documents,
 * which is never negative, and the factor k1 + 1 that Lucene left out in version 8.
 */
export const bm25: Baseline = {
  name: 'bm25',
  summary: 'BM25 over whole documents, no vectors',
  build(documents) {
    const postings = new Map<string, Posting[]>();
    const lengths = new Map<string, number>();
    for (const { name, text } of documents) {
      const all = words(text);
      lengths.set(name, all.length);
      for (const [word, count] of countOf(all)) {
        const list = postings.get(word) ?? [];
        list.push({ name, count });
        postings.set(word, list);
      }
    }
    const total = [...lengths.values()].reduce((sum, length) => sum + length, 0);
    const averageLength = total / Math.max(1, documents.length);

    return (query) => {
      const scores = new Map<string, number>();
      for (const word of words(query)) {
        const list = postings.get(word) ?? [];
        const weight = Math.log(1 + (documents.length - list.length + 0.5) / (list.length + 0.5));
        for (const { name, count } of list) {
          const lengthFactor = 1 - b + (b * lengths.get(name)!) / averageLength;
          const gain = (weight * count * (k1 + 1)) / (count + k1 * lengthFactor);
          scores.set(name, (scores.get(name) ?? 0) + gain);
        }
      }
      return ranked(scores);
    };
  },
};

function countOf(all: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of all) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
