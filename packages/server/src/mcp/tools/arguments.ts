import { z } from 'zod';
import { CallerError } from '../caller-error.js';

/** For a Zod check: says what the argument must be and, in short, what came instead. */
export function mustBe(allowed: string) {
  return { error: ({ input }: { readonly input?: unknown }) => `must be ${allowed}, not ${inShort(input)}` };
}

/** Checks the arguments of a call. Throws a CallerError that names the first wrong one and what is allowed. */
export function parseArguments<Input extends z.ZodObject>(
  input: Input,
  args: Readonly<Record<string, unknown>>,
): z.output<Input> {
  const known = Object.keys(input.shape);
  const unknown = Object.keys(args).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new CallerError(`There is no argument ${inShort(unknown)}. ${whatThereIs(known)}`);
  const parsed = input.safeParse(args);
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

function whatThereIs(names: readonly string[]): string {
  return names.length === 0 ? 'This tool takes none.' : `This tool takes ${names.join(', ')}.`;
}

function inShort(value: unknown): string {
  if (value === undefined) return 'missing';
  if (typeof value === 'string' && value.length > 60) return `a text of ${value.length} characters`;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  return JSON.stringify(value);
}
