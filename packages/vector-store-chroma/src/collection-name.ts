import { createHash } from 'node:crypto';
import type { Fingerprint } from '@kettle/vector-store';

const longestSlug = 40;

/**
 * The collection of one corpus and one model: readable parts for people, hashes so that two never meet. Chroma
 * allows 3 to 512 characters from [a-zA-Z0-9._-], Chroma Cloud up to 128.
 */
export function collectionName(corpusId: string, { model, dimensions, metric }: Fingerprint): string {
  return [
    'kettle',
    slug(corpusId),
    shortHash(corpusId),
    slug(model),
    shortHash(JSON.stringify([model, dimensions, metric])),
  ].join('-');
}

function slug(text: string): string {
  const words = text.normalize('NFKD').replace(/[^a-zA-Z0-9._-]+/g, '-');
  return words.slice(0, longestSlug).replace(/^[-._]+|[-._]+$/g, '') || 'x';
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}
