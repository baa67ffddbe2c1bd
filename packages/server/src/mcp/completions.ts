import { CompleteRequestParamsSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Call, Method } from './method.js';
import { parseParams } from './params.js';
import { answerPrompt } from './prompts.js';
import { documentTemplate } from './resource-uri.js';
import { RpcError } from './rpc-error.js';

/** Most values that MCP lets one answer hold. */
const mostValues = 100;

/** Completes names of documents, for the resource template and for the prompt's `document`. */
export const complete: Method = async (params, call) => {
  const takes = 'completion/complete takes a ref to a prompt or a resource template, and an argument';
  const { ref, argument } = parseParams(CompleteRequestParamsSchema, params, takes);
  const known = ref.type === 'ref/prompt' ? argumentsOfPrompt(ref.name) : argumentsOfTemplate(ref.uri);
  if (!known?.includes(argument.name))
    throw RpcError.invalidParams('There is no such prompt or resource template, or it has no such argument');
  const values = argument.name === 'question' ? [] : await documentNames(argument.value, call);
  return {
    completion: {
      values: values.slice(0, mostValues),
      total: values.length,
      hasMore: values.length > mostValues,
    },
  };
};

function argumentsOfPrompt(name: string): string[] | undefined {
  return name === answerPrompt.name ? answerPrompt.arguments.map((argument) => argument.name) : undefined;
}

function argumentsOfTemplate(uri: string): string[] | undefined {
  return uri === documentTemplate ? ['name'] : undefined;
}

/** Names that begin with what was typed, then those that hold it elsewhere; case doesn't matter. */
async function documentNames(typed: string, { connection, signal }: Call): Promise<string[]> {
  const index = await connection.app.index();
  const names = (await index.listDocuments({ signal })).map(({ name }) => name);
  const plain = (name: string) => name.normalize().toLowerCase();
  const wanted = plain(typed);
  const first = names.filter((name) => plain(name).startsWith(wanted));
  const inside = names.filter((name) => plain(name).indexOf(wanted) > 0);
  return [...first, ...inside];
}
