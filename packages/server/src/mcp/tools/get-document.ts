import { z } from 'zod';
import { aboutCorpus } from '../descriptions.js';
import { longestName, mustBe } from './arguments.js';
import { defineTool } from './tool.js';

const name = mustBe('the name of a document, such as list_documents and search give it');

const output = z.object({
  name: z.string(),
  text: z.string().describe('The whole document'),
  size: z.int().min(0).describe('Bytes'),
  modified: z.string().describe('Time of the last change, ISO 8601'),
  mimeType: z.string(),
});

export const getDocument = defineTool({
  name: 'get_document',
  title: 'Get a document',
  describe: (corpus) => `Return one document in full, by its exact name, from ${aboutCorpus(corpus)}

Use this when a passage found by search is on the subject but too short, or when a question is about a whole document. Names come from search (source) and list_documents.`,
  input: z.object({ name: z.string(name).min(1, name).max(longestName, name).meta({ title: 'Name' }) }),
  output,
  async run(args, call) {
    const index = await call.connection.app.index();
    const { name, text, size, modified, mimeType } = await index.getDocument(args.name, {
      signal: call.signal,
    });
    return {
      content: [{ type: 'text', text }],
      structured: { name, text, size, modified, mimeType },
    };
  },
});
