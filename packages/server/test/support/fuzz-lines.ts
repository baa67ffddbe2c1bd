import fc from 'fast-check';

/** A line for the server, and the id of the one reply it must get: null where none can be told, none for silence. */
export interface FuzzLine {
  readonly line: Buffer;
  readonly reply: string | number | null | 'none';
}

const methods = [
  'ping',
  'initialize',
  'tools/list',
  'tools/call',
  'resources/list',
  'resources/read',
  'resources/templates/list',
  'resources/subscribe',
  'resources/unsubscribe',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'logging/setLevel',
  'notifications/initialized',
  'notifications/progress',
  'roots/list',
  'constructor',
  '',
];

const names = [
  'search',
  'list_documents',
  'get_document',
  'pets.txt',
  '../x',
  'answer_from_documents',
  '__proto__',
];

/** Ids that a request may have. Few, so that many are used twice. "none" is taken, see FuzzLine. */
const id = fc.oneof(fc.integer({ min: 0, max: 20 }), fc.constantFrom('a', 'b', '', '0', '🫖'));

const params = fc.oneof(
  fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 }),
  fc.record(
    {
      name: fc.oneof(fc.constantFrom(...names), fc.jsonValue()),
      arguments: fc.oneof(
        fc.record(
          {
            query: fc.oneof(fc.string(), fc.jsonValue()),
            top_k: fc.oneof(fc.integer({ min: -1, max: 60 }), fc.jsonValue()),
            name: fc.oneof(fc.constantFrom(...names), fc.jsonValue()),
          },
          { requiredKeys: [] },
        ),
        fc.jsonValue(),
      ),
      uri: fc.oneof(
        fc.constantFrom(...names).map((name) => `kettle://documents/${name}`),
        fc.jsonValue(),
      ),
      cursor: fc.jsonValue(),
      level: fc.oneof(fc.constantFrom('debug', 'error'), fc.jsonValue()),
      task: fc.jsonValue(),
      _meta: fc.oneof(fc.record({ progressToken: fc.oneof(fc.string(), fc.jsonValue()) }), fc.jsonValue()),
    },
    { requiredKeys: [] },
  ),
);

const request: fc.Arbitrary<FuzzLine> = fc
  .record({ id, method: fc.oneof(fc.constantFrom(...methods), fc.string()), params })
  .map((message) => ({ line: asLine({ jsonrpc: '2.0', ...message }), reply: message.id }));

const notification: fc.Arbitrary<FuzzLine> = fc
  .record({
    // Not cancellations: a request that is cancelled gets no reply.
    method: fc.constantFrom(
      'notifications/initialized',
      'notifications/progress',
      'notifications/x',
      'tools/call',
      '',
    ),
    params: fc.oneof(params, fc.jsonValue()),
  })
  .map((message) => ({ line: asLine({ jsonrpc: '2.0', ...message }), reply: 'none' }));

const response: fc.Arbitrary<FuzzLine> = fc
  .oneof(
    fc.record({ id: fc.oneof(id, fc.jsonValue()), result: fc.jsonValue() }),
    fc.record({ id: fc.oneof(id, fc.jsonValue()), error: fc.jsonValue() }),
  )
  .map((message) => ({ line: asLine({ jsonrpc: '2.0', ...message }), reply: 'none' }));

const damaged: fc.Arbitrary<FuzzLine> = fc
  .record({
    jsonrpc: fc.constantFrom('2.0', '1.0', 2, undefined),
    id: fc.oneof(id, fc.constantFrom(null, 1.5, true, undefined), fc.constant([1])),
    method: fc.constantFrom('ping', 5, null, undefined),
    params: fc.constantFrom(undefined, [], 'x', null, {}),
    extra: fc.jsonValue(),
  })
  .map((message) => ({ line: asLine(message), reply: replyToDamaged(message) }));

function replyToDamaged(message: { jsonrpc: unknown; id: unknown; method: unknown }): FuzzLine['reply'] {
  const { jsonrpc, id, method } = message;
  const readable = typeof id === 'string' || Number.isInteger(id) ? (id as string | number) : null;
  const isNotification = jsonrpc === '2.0' && method === 'ping' && id === undefined;
  return isNotification ? 'none' : readable;
}

const garbage: fc.Arbitrary<FuzzLine> = fc
  .oneof(
    fc
      .uint8Array({ maxLength: 50 })
      .map((bytes) => Buffer.from([0x7b, ...bytes.map((b) => (b === 10 ? 32 : b))])),
    fc.jsonValue().map((value) => asLine([value])),
    fc.oneof(fc.double(), fc.boolean(), fc.constant(null)).map(asLine),
    request.map(({ line }) => line.subarray(0, line.length - 1)),
  )
  .map((line) => ({ line, reply: null }));

const blank: fc.Arbitrary<FuzzLine> = fc
  .constantFrom('', ' ', '\r', '\t\r')
  .map((text) => ({ line: Buffer.from(text), reply: 'none' }));

/** Lines of every kind, some of them twice. */
export function fuzzLines(count: number): fc.Arbitrary<FuzzLine[]> {
  const line = fc.oneof(
    { arbitrary: request, weight: 5 },
    notification,
    response,
    { arbitrary: damaged, weight: 2 },
    garbage,
    blank,
  );
  return fc
    .array(line, { minLength: 1, maxLength: count, size: 'max' })
    .chain((lines) => fc.shuffledSubarray(lines).map((again) => [...lines, ...again]));
}

/** How often each id must be replied to. */
export function expectedReplies(lines: readonly FuzzLine[]): Map<string, number> {
  return tally(lines.filter(({ reply }) => reply !== 'none').map(({ reply }) => reply));
}

/** How often each id was replied to: whatever the server sends that is not a notification. */
export function actualReplies(messages: readonly { id?: unknown; method?: unknown }[]): Map<string, number> {
  return tally(messages.filter(({ method }) => method === undefined).map(({ id }) => id));
}

function tally(ids: readonly unknown[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of ids.map((id) => JSON.stringify(id)).sort()) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

function asLine(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}
