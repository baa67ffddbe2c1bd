import type { SearchHit, SearchMode } from '@kettle/search';
import type { ContentBlock } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { aboutCorpus } from '../descriptions.js';
import { knownDocuments } from '../known-documents.js';
import type { Call } from '../method.js';
import { passagesAsText } from '../passages-text.js';
import { reportProgress } from '../progress.js';
import { documentUri } from '../resource-uri.js';
import { longestName, mustBe } from './arguments.js';
import { defineTool } from './tool.js';

/** Longest query in characters; no model reads as much. It keeps a flood away from the tokeniser. */
export const longestQuery = 10_000;

const query = mustBe(`a text of 1 to ${longestQuery} characters that is not blank`);
const topK = mustBe('a whole number from 1 to 50');
const documents = mustBe(
  `a list of 1 to 1000 document names of at most ${longestName} characters, or of folders ending in "/"`,
);
const maxDistance = mustBe('a number from 0 to 2');

const input = z.object({
  query: z
    .string(query)
    .max(longestQuery, query)
    .refine((text) => text.trim() !== '', query)
    .meta({
      title: 'Query',
      description:
        'What to look for, as a question or a phrase. Words need not match; codes and names are best given as they are written.',
    }),
  top_k: z
    .int(topK)
    .min(1, topK)
    .max(50, topK)
    .default(5)
    .meta({ title: 'Top K', description: 'Most passages to return.' }),
  documents: z
    .array(z.string(documents).min(1, documents).max(longestName, documents), documents)
    .min(1, documents)
    .max(1000, documents)
    .optional()
    .meta({
      title: 'Documents',
      description: 'Search only these documents, by name, or folders of documents, ending in "/".',
    }),
  max_distance: z
    .number(maxDistance)
    .min(0, maxDistance)
    .max(2, maxDistance)
    .optional()
    .meta({ title: 'Max Distance', description: 'Leave out passages further away than this.' }),
});

const output = z.object({
  results: z
    .array(
      z.object({
        rank: z.int().min(1).describe('1 for the best passage'),
        source: z.string().describe('Name of the document, for get_document'),
        distance: z
          .number()
          .describe('Cosine distance of query and passage, 0 to 2; smaller is closer. Results come by rank.'),
        passage: z.string(),
        start: z.int().min(0).describe("Where the passage starts in the document's text, in UTF-16 units"),
        end: z.int().min(0).describe('Where it ends, exclusive'),
      }),
    )
    .describe('Best first'),
});

/** What each mode looks for, for a model that has to choose its words. */
const finds: Readonly<Record<SearchMode, string>> = {
  vector: 'closest in meaning to the query, also where they share no word with it',
  keyword: 'that hold the words of the query',
  hybrid:
    'that fit the query best, by meaning, also where they share no word with it, and by words, codes and names',
};

export const search = defineTool({
  name: 'search',
  title: 'Search documents',
  describe: (corpus, mode) => `Search the documents of ${aboutCorpus(corpus)}

Use this to answer questions that these documents may answer. It finds the passages ${finds[mode]}, and returns them with the name of the document they come from, best first. ${mode === 'keyword' ? '' : 'There are always passages, also when none answers the question: judge them by what they say. '}When the passages don't answer the question, search again in other words.`,
  input,
  output,
  async run(args, call) {
    const index = await call.connection.app.index();
    const hits = await index.search(args.query, {
      topK: args.top_k,
      documents: args.documents && (await knownDocuments(index, args.documents, call.signal)),
      maxDistance: args.max_distance,
      signal: call.signal,
      onProgress: reportProgress(call),
    });
    return {
      content: [
        { type: 'text', text: passagesAsText(hits) || 'No passage was found.' },
        ...linksTo(hits, call),
      ],
      structured: { results: hits.map(asResult) },
    };
  },
});

function asResult({ rank, document, distance, passage, start, end }: SearchHit) {
  return { rank, source: document, distance, passage, start, end };
}

/** Links to the documents found, so that a client can open them. Revisions before 2025-06-18 don't know them. */
function linksTo(hits: readonly SearchHit[], { connection }: Call): ContentBlock[] {
  if (!connection.speaks('2025-06-18')) return [];
  const types = new Map(hits.map(({ document, mimeType }) => [document, mimeType]));
  return [...types].map(([name, mimeType]) => ({
    type: 'resource_link',
    uri: documentUri(name),
    name,
    mimeType,
  }));
}
