import type { Corpus, SearchMode } from '@kettle/search';
import type { ContentBlock } from '@modelcontextprotocol/sdk/types.js';
import type { z } from 'zod';
import type { Call } from '../method.js';

/** What a tool gives: content for models, and the same for programs. */
export interface ToolOutput<Structured> {
  readonly content: ContentBlock[];
  readonly structured: Structured;
}

/** One tool: what `tools/list` says about it, and what it does. */
export interface Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  /** For a model: what it finds here, and when to use it. */
  describe(corpus: Corpus, mode: SearchMode): string;
  readonly input: Input;
  readonly output: Output;
  /** Throws a CallerError to tell the model how to do better. */
  run(args: z.output<Input>, call: Call): Promise<ToolOutput<z.input<Output>>>;
}

/** Lets a tool's types be inferred. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: Tool<Input, Output>,
): Tool {
  return Object.freeze(tool) as unknown as Tool;
}
