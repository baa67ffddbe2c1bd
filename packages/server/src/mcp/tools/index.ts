import { CallToolRequestParamsSchema, type CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { CallerError } from '../caller-error.js';
import { explain } from '../explain.js';
import type { Call, Method } from '../method.js';
import { noCursor } from '../paging.js';
import { parseParams, withArguments } from '../params.js';
import { parseArguments, toJsonSchema } from './arguments.js';
import { getDocument } from './get-document.js';
import { listDocuments } from './list-documents.js';
import { search } from './search.js';
import type { Tool } from './tool.js';

const tools: readonly Tool[] = [search, listDocuments, getDocument];

const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** Generating the schemas takes milliseconds and they never change. */
let schemas:
  | { inputSchema: ReturnType<typeof toJsonSchema>; outputSchema: ReturnType<typeof toJsonSchema> }[]
  | undefined;

export const listTools: Method = (params, { connection }) => {
  noCursor(params);
  schemas ??= tools.map(({ name, input, output }) => ({
    inputSchema: toJsonSchema(input, `${name}Arguments`),
    outputSchema: toJsonSchema(output, `${name}Result`),
  }));
  const described = tools.map(({ name, title, describe }, index) => ({
    name,
    title,
    description: describe(connection.app.corpus, connection.app.config.searchMode),
    ...schemas?.[index],
    annotations: { title, ...annotations },
  }));
  return { tools: described };
};

export const callTool: Method = async (params, call) => {
  const takes = 'tools/call takes the name of a tool and, as an object, its arguments';
  const { name, arguments: args = {} } = parseParams(
    CallToolRequestParamsSchema,
    withArguments(params),
    takes,
  );
  const started = performance.now();
  try {
    const result = await runTool(name, args, call);
    call.connection.log('debug', { tool: name, milliseconds: performance.now() - started });
    return result;
  } catch (error) {
    const text = explain(error, call, nameIn(args));
    call.connection.log('warning', { message: text });
    return { content: [{ type: 'text', text }], isError: true };
  }
};

async function runTool(
  name: string,
  args: Readonly<Record<string, unknown>>,
  call: Call,
): Promise<CallToolResult> {
  const tool = tools.find((candidate) => candidate.name === name);
  if (!tool)
    throw new CallerError(`There is no tool of that name. There are ${tools.map((t) => t.name).join(', ')}.`);
  const { content, structured } = await tool.run(parseArguments(tool.input, args), call);
  return { content, structuredContent: structured, isError: false };
}

function nameIn(args: Readonly<Record<string, unknown>>): string | undefined {
  return typeof args.name === 'string' ? args.name : undefined;
}
