import { z } from 'zod';
import { aboutCorpus } from '../descriptions.js';
import { onOneLine } from '../passages-text.js';
import { defineTool } from './tool.js';

const output = z.object({
  documents: z
    .array(
      z.object({
        name: z.string(),
        size: z.int().min(0).describe('Bytes'),
        modified: z.string().describe('Time of the last change, ISO 8601'),
        mimeType: z.string(),
      }),
    )
    .describe('Sorted by name'),
});

export const listDocuments = defineTool({
  name: 'list_documents',
  title: 'List documents',
  describe: (corpus) => `List the names of the documents of ${aboutCorpus(corpus)}

Use this to see what there is, or to find the exact name of a document for get_document. To answer a question, use search instead.`,
  input: z.object({}),
  output,
  async run(_args, call) {
    const index = await call.connection.app.index();
    const documents = await index.listDocuments({ signal: call.signal });
    const names = documents.map(({ name }) => onOneLine(name));
    return {
      content: [{ type: 'text', text: names.join('\n') || 'There are no documents.' }],
      structured: {
        documents: documents.map(({ name, size, modified, mimeType }) => ({
          name,
          size,
          modified,
          mimeType,
        })),
      },
    };
  },
});
