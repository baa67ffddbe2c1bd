import type { Result } from '@modelcontextprotocol/sdk/types.js';
import type { Call, Method } from '../../src/mcp/method.js';
import { RpcError } from '../../src/mcp/rpc-error.js';
import { kettleMethods } from '../../src/mcp/server.js';

/** A PNG of one pixel, and a WAV of no sound. */
const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

const text = (text: string) => ({ type: 'text', text });
const image = { type: 'image', data: png, mimeType: 'image/png' };
const audio = { type: 'audio', data: wav, mimeType: 'audio/wav' };
const embedded = (uri: string) => ({
  type: 'resource',
  resource: { uri, mimeType: 'text/plain', text: 'This is an embedded resource content.' },
});

/** The suite's tools, by name. Those that ask the client something are left out: Kettle never does. */
const tools: Record<string, (call: Call) => Result | Promise<Result>> = {
  test_simple_text: () => ({ content: [text('This is a simple text response for testing.')] }),
  test_image_content: () => ({ content: [image] }),
  test_audio_content: () => ({ content: [audio] }),
  test_embedded_resource: () => ({ content: [embedded('test://embedded-resource')] }),
  test_multiple_content_types: () => ({
    content: [text('Multiple content types test:'), image, embedded('test://mixed-content-resource')],
  }),
  test_error_handling: () => ({
    isError: true,
    content: [text('This tool intentionally returns an error for testing')],
  }),
  test_tool_with_logging: ({ connection }) => {
    for (const moment of ['started', 'processing', 'completed']) connection.log('info', `Tool ${moment}`);
    return { content: [text('Three messages were logged.')] };
  },
  test_tool_with_progress: async ({ progressToken, notify }) => {
    if (progressToken === undefined) throw RpcError.invalidParams('There is no progressToken');
    for (const progress of [0, 50, 100])
      await notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
    return { content: [text('Progress was reported three times.')] };
  },
  json_schema_2020_12_tool: () => ({ content: [text('Only its schema matters.')] }),
};

const schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } },
  },
  properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
  additionalProperties: false,
};

const callTool: Method = (params, call) => {
  const tool = tools[String(params.name)];
  if (!tool) return { isError: true, content: [text('There is no such tool')] };
  return tool(call);
};

const readResource: Method = ({ uri }) => {
  const id = /^test:\/\/template\/(\w+)\/data$/.exec(String(uri))?.[1];
  if (id) return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify({ id }) }] };
  if (uri === 'test://static-text') return { contents: [{ uri, mimeType: 'text/plain', text: 'Static.' }] };
  if (uri === 'test://static-binary') return { contents: [{ uri, mimeType: 'image/png', blob: png }] };
  throw RpcError.resourceNotFound(String(uri));
};

const getPrompt: Method = ({ name, arguments: given = {} }) => {
  const { arg1, arg2, resourceUri } = given as Record<string, string>;
  const contents: Record<string, object> = {
    test_simple_prompt: text('This is a simple prompt for testing.'),
    test_prompt_with_arguments: text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`),
    test_prompt_with_embedded_resource: embedded(String(resourceUri)),
    test_prompt_with_image: image,
  };
  return { messages: [{ role: 'user', content: contents[String(name)] }] };
};

const subscribe: Method = ({ uri }, { connection }) => {
  connection.subscriptions.set(String(uri), String(uri));
  return {};
};

const unsubscribe: Method = ({ uri }, { connection }) => {
  if (!connection.subscriptions.delete(String(uri))) throw RpcError.resourceNotFound(String(uri));
  return {};
};

/**
 * What the conformance suite wants of a server that is made for it. Everything in front of these methods is Kettle's:
 * HTTP, sessions, event streams, the state of a connection, errors, and every method that is not named here.
 */
export const conformanceMethods: ReadonlyMap<string, Method> = new Map([
  ...kettleMethods,
  [
    'tools/list',
    () => ({
      tools: Object.keys(tools).map((name) => ({ name, description: name, inputSchema: schema })),
    }),
  ],
  ['tools/call', callTool],
  ['resources/read', readResource],
  ['resources/subscribe', subscribe],
  ['resources/unsubscribe', unsubscribe],
  ['prompts/get', getPrompt],
  ['completion/complete', () => ({ completion: { values: ['testValue1'] } })],
]);
