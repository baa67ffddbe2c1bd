import { z } from 'zod';
import { CallerError } from '../caller-error.js';

/** Longest name of a document that is looked at, in characters; no file system has longer paths. */
export const longestName = 4096;

/** For a Zod check: says what the argument must be and, in short, what came instead. */
export function mustBe(allowed: string) {
  return { error: ({ input }: { readonly input?: unknown }) => `must be ${allowed}, not ${inShort(input)}` };
}

/**
 * Checks the arguments of a call. Throws a CallerError that names the first wrong one and what is allowed.
 *
 * Clients send more than was asked for: some add arguments of their own to every call, and some send null, "" or []
 * for what they leave out. Neither is the model's mistake, so neither is refused; `topK` for `top_k` is.
 */
export function parseArguments<Input extends z.ZodObject>(
  input: Input,
  args: Readonly<Record<string, unknown>>,
): z.output<Input> {
  const known = Object.keys(input.shape);
  const misspelt = Object.keys(args).find((name) => !known.includes(name) && known.some(isLike(name)));
  if (misspelt !== undefined)
    throw new CallerError(`There is no argument ${inShort(misspelt)}. This tool takes ${known.join(', ')}.`);
  const parsed = input.safeParse(given(input, args));
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0] as z.core.$ZodIssue;
  throw new CallerError(`${String(path[0])} ${message}.`);
}

/** The JSON Schema of a tool's input or output, as it goes over the wire. */
export function toJsonSchema(schema: z.ZodObject, title: string): { type: 'object'; [key: string]: unknown } {
  const { $schema, type: _, ...rest } = z.toJSONSchema(schema, { io: 'input', override: dropSafeMaximum });
  return { type: 'object', title, ...rest };
}

/** Zod says of every integer that it is one JavaScript can hold: nothing a reader needs to know. */
function dropSafeMaximum({ jsonSchema }: { readonly jsonSchema: { maximum?: number } }): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

/** The arguments that were really given, of those that there are. */
function given(input: z.ZodObject, args: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const isOptional = (name: string) => input.shape[name]?.safeParse(undefined).success;
  return Object.fromEntries(
    Object.entries(args).filter(
      ([name, value]) => Object.hasOwn(input.shape, name) && !(isOptional(name) && isNothing(value)),
    ),
  );
}

function isNothing(value: unknown): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

/** Whether two names differ at most in case and in what parts their words. */
function isLike(name: string): (other: string) => boolean {
  const plain = (text: string) => text.toLowerCase().replace(/[\s_-]/g, '');
  return (other) => plain(other) === plain(name);
}

function inShort(value: unknown): string {
  if (value === undefined) return 'missing';
  if (typeof value === 'string' && value.length > 60) return `a text of ${value.length} characters`;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  return JSON.stringify(value);
}
