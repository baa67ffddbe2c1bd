import type { Embedder } from '@kettle/embedder';
import type { SearchIndex } from '@kettle/search';
import type { VectorStore } from '@kettle/vector-store';
import type { Query } from '../corpus/judgments.js';
import { type McpClient, searchOverMcp } from './mcp-client.js';

/** How many hits a query asks for: the default of the `search` tool. */
export const topK = 5;

/** One way to ask the same question, from the bare store to the whole server. */
export interface Depth {
  readonly name: 'vector' | 'bare' | 'service' | 'mcp-stdio' | 'mcp-http';
  /** Whether a question asked before is cheaper: what lies beneath a search remembers nothing of it. */
  readonly remembers: boolean;
  /** Milliseconds from the start of a server that was asked nothing before to its first answer. */
  readonly cold?: number;
  ask(query: Query): Promise<unknown>;
}

/** What each depth means, for reports. */
export const depthTitles: Readonly<Record<string, string>> = {
  vector: 'vector alone',
  bare: 'embed + vector',
  service: 'SearchService',
  'mcp-stdio': 'MCP stdio',
  'mcp-http': 'MCP HTTP',
};

/** The store alone, with vectors that were made before. */
export function vectorDepth(store: VectorStore, vectors: ReadonlyMap<string, Float32Array>): Depth {
  return { name: 'vector', remembers: false, ask: ({ id }) => store.query(vectors.get(id)!, topK) };
}

/** The floor of any search by meaning: embed the question and query the store, with nothing around it. */
export function bareDepth(embedder: Embedder, store: VectorStore): Depth {
  return {
    name: 'bare',
    remembers: false,
    ask: async ({ text }) => store.query(await embedder.embedQuery(text), topK),
  };
}

export function serviceDepth(index: SearchIndex): Depth {
  return { name: 'service', remembers: true, ask: ({ text }) => index.search(text, { topK }) };
}

export function mcpDepth(name: 'mcp-stdio' | 'mcp-http', client: McpClient): Depth {
  return { name, remembers: true, ask: ({ text }) => searchOverMcp(client, text, topK) };
}
