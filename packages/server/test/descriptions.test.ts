import type { Corpus } from '@kettle/search';
import { expect, it } from 'vitest';
import { aboutCorpus } from '../src/mcp/descriptions.js';

const corpus = (description: string): Corpus => ({ name: 'Notes', description, directory: '/n', id: 'n-1' });

it.each([
  ['', 'Notes.'],
  ['What I wrote', 'Notes: What I wrote.'],
  ['What I wrote.', 'Notes: What I wrote.'],
  ['Which notes? Mine!', 'Notes: Which notes? Mine!'],
])('a corpus described as %j is introduced in whole sentences', (description, text) => {
  expect(aboutCorpus(corpus(description))).toBe(text);
});
