import { GetPromptRequestParamsSchema } from '@modelcontextprotocol/sdk/types.js';
import { aboutCorpus } from './descriptions.js';
import { asRpcError } from './explain.js';
import { knownDocuments } from './known-documents.js';
import type { Call, Method } from './method.js';
import { noCursor } from './paging.js';
import { parseParams, withArguments } from './params.js';
import { passagesAsText } from './passages-text.js';
import { reportProgress } from './progress.js';
import { RpcError } from './rpc-error.js';
import { longestQuery } from './tools/search.js';

/** The one prompt: a question, answered from the documents with sources. */
export const answerPrompt = {
  name: 'answer_from_documents',
  title: 'Answer from the documents',
  description: 'Answers a question from what the documents say, and names the documents',
  arguments: [
    { name: 'question', title: 'Question', description: 'What you want to know', required: true },
    {
      name: 'document',
      title: 'Document',
      description: 'Look only into this document, or this folder, ending in "/"',
      required: false,
    },
  ],
};

/** Passages that the prompt holds. */
const passages = 8;

export const listPrompts: Method = (params) => {
  noCursor(params);
  return { prompts: [answerPrompt] };
};

export const getPrompt: Method = async (params, call) => {
  const takes = 'prompts/get takes the name of a prompt and, as texts, its arguments';
  const { name, arguments: args = {} } = parseParams(GetPromptRequestParamsSchema, given(params), takes);
  if (name !== answerPrompt.name)
    throw RpcError.invalidParams(`There is no prompt of that name. There is ${answerPrompt.name}`);
  const { question, document } = args;
  if (question === undefined || question.trim() === '')
    throw RpcError.invalidParams('The argument "question" must be a text that is not blank');
  if (question.length > longestQuery)
    throw RpcError.invalidParams(`The argument "question" must have at most ${longestQuery} characters`);
  const found = await findPassages(question, document ? [document] : undefined, call);
  const text = asText(question, found, aboutCorpus(call.connection.app.corpus));
  return {
    description: answerPrompt.description,
    messages: [{ role: 'user', content: { type: 'text', text } }],
  };
};

/** Forms send null for a field that was left empty. */
function given(params: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { arguments: args } = withArguments(params);
  if (typeof args !== 'object') return params;
  return {
    ...params,
    arguments: Object.fromEntries(Object.entries(args as object).filter(([, value]) => value !== null)),
  };
}

async function findPassages(question: string, documents: string[] | undefined, call: Call): Promise<string> {
  try {
    const index = await call.connection.app.index();
    const hits = await index.search(question, {
      topK: passages,
      documents: documents && (await knownDocuments(index, documents, call.signal)),
      signal: call.signal,
      onProgress: reportProgress(call),
    });
    return passagesAsText(hits) || 'No passage was found.';
  } catch (error) {
    throw asRpcError(error, call);
  }
}

function asText(question: string, found: string, corpus: string): string {
  return `Answer this question from the passages below, which a search found in the documents of ${corpus}

Question: ${question}

${found}

Use only what the passages say. After each statement name its document in square brackets, such as [faq.txt]. Where documents disagree, say so and prefer the newer one. When the passages don't hold the answer, say that they don't; search again in other words if you can.`;
}
