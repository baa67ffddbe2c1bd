import { type Baseline, ranked } from './baseline.js';
import { words } from './words.js';

/** What a shell's grep would do: documents with the most of the question's different words come first. */
export const wordMatch: Baseline = {
  name: 'word match',
  summary: 'counts the words of the question that a document holds, no vectors',
  build(documents) {
    const vocabularies = documents.map(({ name, text }) => ({ name, vocabulary: new Set(words(text)) }));
    return (query) => {
      const asked = [...new Set(words(query))];
      return ranked(
        new Map(
          vocabularies.map(({ name, vocabulary }) => [
            name,
            asked.filter((word) => vocabulary.has(word)).length,
          ]),
        ),
      );
    };
  },
};
