import fc from 'fast-check';

/** Methods that a client may call, and names that only look like one. */
export const methods = [
  'ping',
  'tools/list',
  'tools/call',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'logging/setLevel',
  'initialize',
  'notifications/initialized',
  'notifications/cancelled',
  'notifications/progress',
  'toString',
  '__proto__',
  '',
];
const tools = ['search', 'list_documents', 'get_document', 'constructor', ''];

const id = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: -3, max: 50 }) },
  { weight: 2, arbitrary: fc.string({ maxLength: 8 }) },
  fc.constantFrom(null, 1.5, 2 ** 60, true, [], {}, '__proto__'),
);
const params = fc.oneof(
  fc.record({
    name: fc.constantFrom(...tools),
    arguments: fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue()),
  }),
  fc.record({
    name: fc.constant('search'),
    arguments: fc.record({ query: fc.string(), top_k: fc.integer() }),
  }),
  fc.record({ uri: fc.oneof(fc.webUrl(), fc.string(), fc.constant('kettle://documents/faq.txt')) }),
  fc.record({ requestId: id, progressToken: fc.jsonValue(), _meta: fc.jsonValue() }, { requiredKeys: [] }),
  fc.record(
    { level: fc.constantFrom('debug', 'emergency', 'loud'), cursor: fc.jsonValue() },
    { requiredKeys: [] },
  ),
  fc.jsonValue(),
);
const message = fc.record(
  {
    jsonrpc: fc.oneof({ weight: 20, arbitrary: fc.constant('2.0') }, fc.constantFrom('1.0', 2, null)),
    id,
    method: fc.oneof({ weight: 20, arbitrary: fc.constantFrom(...methods) }, fc.string(), fc.jsonValue()),
    params,
    result: fc.jsonValue(),
    error: fc.jsonValue(),
  },
  { requiredKeys: ['jsonrpc'] },
);
/** What is sent as one body, and what it was made from, where it was made from a message. */
export interface FuzzBody {
  readonly value: unknown;
  readonly text: string | Buffer;
}

/** Bodies of every kind: messages right and wrong, batches, halves, bytes, walls of brackets, one that is too large. */
export const fuzzBody: fc.Arbitrary<FuzzBody> = fc.oneof(
  {
    weight: 8,
    arbitrary: message.map((value) => ({ value: value as unknown, text: JSON.stringify(value) })),
  },
  fc.jsonValue().map((value) => ({ value: value as unknown, text: JSON.stringify(value) })),
  fc
    .array(message, { maxLength: 5 })
    .map((value) => ({ value: value as unknown, text: JSON.stringify(value) })),
  message.map((value) => ({ value: undefined, text: JSON.stringify(value).slice(0, -1) })),
  fc.uint8Array({ maxLength: 50 }).map((bytes) => ({ value: undefined, text: Buffer.from(bytes) })),
  fc.integer({ min: 1, max: 15_000 }).map((depth) => ({ value: undefined, text: '['.repeat(depth) })),
  fc.tuple(fc.integer({ min: 1, max: 5_000 }), fc.constantFrom(...methods)).map(([depth, method]) => {
    const deep = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
    const call = `{"name":"search","arguments":${deep},"uri":${deep}}`;
    return {
      value: { jsonrpc: '2.0', id: 1, method, params: {} },
      text: `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${depth % 2 ? call : deep}}`,
    };
  }),
  fc.tuple(fc.integer({ min: 1, max: 5_000 }), fc.constantFrom('result', 'error')).map(([depth, member]) => ({
    value: { jsonrpc: '2.0', id: 1, [member]: {} },
    text: `{"jsonrpc":"2.0","id":1,"${member}":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}`,
  })),
  fc.constant({
    value: undefined,
    text: `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"${'x'.repeat(100_001)}"}}`,
  }),
);

/** JSON-RPC's own idea of a request that can be answered by id. */
export function requestId(value: unknown): string | number | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { jsonrpc, id, method, params = {} } = value as Record<string, unknown>;
  const isRequest =
    jsonrpc === '2.0' && typeof method === 'string' && typeof params === 'object' && params !== null;
  const hasId = typeof id === 'string' || Number.isSafeInteger(id);
  return isRequest && hasId && !Array.isArray(params) ? (id as string | number) : undefined;
}

/** A notification that nothing is wrong with (`_meta` is the part of parameters that has rules): it gets no reply. */
export function isNotification(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (['id', 'result', 'error'].some((key) => key in value)) return false;
  const { params } = value as { params?: object };
  return requestId({ ...value, id: 0 }) === 0 && !(params && '_meta' in params);
}
