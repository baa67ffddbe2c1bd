import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { ResultsError } from './store.js';

/** What `pnpm --filter @kettle/server soak --json FILE` writes: many HTTP clients on one server for some minutes. */
export interface Soak {
  readonly kind: 'soak';
  readonly version: 1;
  readonly date: string;
  readonly commit: string | null;
  readonly machine: { readonly cpu: string; readonly cores: number };
  readonly settings: {
    readonly clients: number;
    readonly minutes: number;
    readonly backend: string;
    readonly model: string;
  };
  readonly sessions: number;
  /** How many the server still held after all were ended. */
  readonly sessionsLeft: number;
  /** Milliseconds as clients see them; the kind "all" comes last. */
  readonly requests: readonly {
    readonly kind: string;
    readonly count: number;
    readonly p50: number;
    readonly p95: number;
    readonly p99: number;
  }[];
  readonly perSecond: number;
  readonly errors: {
    readonly count: number;
    readonly kinds: readonly { readonly message: string; readonly count: number }[];
  };
  /** Resident memory of the server, from start to end. */
  readonly rss: readonly { readonly seconds: number; readonly bytes: number }[];
  /** Bytes a minute, of the line that fits the second half of those best. */
  readonly rssSlope: number;
  /** Of the server after it was told to end; null when a signal ended it. */
  readonly exitCode: number | null;
  /** The soak test's own verdict; files of before have none. */
  readonly passed?: boolean;
  /** What was not well, a sentence each; files of before have none. */
  readonly reasons?: readonly string[];
}

/** Name of the file that belongs to the results beside it. */
const soakName = 'soak.json';

const number = { type: 'number' } as const;
const text = { type: 'string' } as const;

/** The parts that the report shows; the file may hold more. */
const schema = {
  type: 'object',
  required: [
    ...['kind', 'version', 'date', 'settings', 'sessions', 'sessionsLeft', 'requests', 'perSecond', 'errors'],
    ...['rss', 'rssSlope', 'exitCode'],
  ],
  properties: {
    kind: { const: 'soak' },
    version: { const: 1 },
    date: text,
    settings: {
      type: 'object',
      required: ['clients', 'minutes', 'backend'],
      properties: { clients: number, minutes: number, backend: text },
    },
    sessions: number,
    sessionsLeft: number,
    rssSlope: number,
    exitCode: { anyOf: [number, { type: 'null' }] },
    passed: { type: 'boolean' },
    reasons: { type: 'array', items: text },
    requests: {
      type: 'array',
      items: {
        type: 'object',
        required: ['kind', 'count', 'p50', 'p95', 'p99'],
        properties: { kind: text, count: number, p50: number, p95: number, p99: number },
      },
    },
    perSecond: number,
    errors: {
      type: 'object',
      required: ['count', 'kinds'],
      properties: {
        count: number,
        kinds: {
          type: 'array',
          items: {
            type: 'object',
            required: ['message', 'count'],
            properties: { message: text, count: number },
          },
        },
      },
    },
    rss: {
      type: 'array',
      items: {
        type: 'object',
        required: ['seconds', 'bytes'],
        properties: { seconds: number, bytes: number },
      },
    },
  },
};

/**
 * Reads the figures of a soak test.
 *
 * @throws {ResultsError} when the file can't be read, or is something else
 */
export async function readSoak(file: string): Promise<Soak> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(await readFile(file, 'utf8'));
  } catch (cause) {
    throw new ResultsError(`${file} can't be read as a soak test: ${(cause as Error).message}`, { cause });
  }
  const ajv = new Ajv2020({ strict: true });
  if (!ajv.validate(schema, parsed))
    throw new ResultsError(
      `${file} is not what the soak test writes: ${ajv.errorsText(ajv.errors, { dataVar: 'soak' })}`,
    );
  return parsed as Soak;
}

/** The figures beside results.json, or undefined where there are none. */
export async function findSoak(directory: string): Promise<Soak | undefined> {
  const file = join(directory, soakName);
  const isThere = await readFile(file).then(
    () => true,
    () => false,
  );
  return isThere ? readSoak(file) : undefined;
}

/** Puts a copy of the figures beside the results, where reports find them. */
export async function keepSoak(file: string, directory: string): Promise<void> {
  const soak = await readSoak(file);
  await writeFile(join(directory, soakName), `${JSON.stringify(soak, null, 1)}\n`);
}
