import { fileURLToPath } from 'node:url';
import { defaultMode } from '../targets.js';

/** What the benchmark asks of a connection to the server. */
export interface McpClient {
  initialize(): Promise<void>;
  /** The result of one request; rejects with the server's error. */
  request(method: string, params?: unknown): Promise<unknown>;
  /** A further connection to the same server, where one client's requests may not overlap. */
  another?(): Promise<McpClient>;
  close(): Promise<void>;
}

/** The server's main module. */
export const serverEntry = fileURLToPath(new URL('./main.js', import.meta.resolve('@kettle/server')));

/**
 * Asks the `search` tool.
 *
 * @throws when the tool answers with an error: a failure must not count as a fast answer
 */
export async function searchOverMcp(client: McpClient, query: string, topK = 5): Promise<void> {
  const result = (await client.request('tools/call', {
    name: 'search',
    arguments: { query, top_k: topK },
  })) as { isError?: boolean; content: { text?: string }[] };
  if (result.isError) throw new Error(result.content[0]?.text ?? 'the search tool failed');
}

/** Settings that a user may have for a server of their own. They would change what is measured, or keep us out. */
const notInherited = {
  EMBEDDING_MODEL: undefined,
  EMBEDDING_MODEL_DIR: undefined,
  HF_ENDPOINT: undefined,
  CORPUS_NAME: undefined,
  CORPUS_DESCRIPTION: undefined,
  MCP_AUTH_TOKEN: undefined,
  MCP_ALLOWED_HOSTS: undefined,
  MCP_ALLOWED_ORIGINS: undefined,
} as const;

/** The environment in which a server runs on this corpus and index. Only what leads to Chroma is the user's. */
export function serverEnvironment(settings: {
  readonly backend: string;
  readonly documents: string;
  readonly indexDirectory: string;
  readonly more?: NodeJS.ProcessEnv;
}): NodeJS.ProcessEnv {
  return {
    ...process.env,
    ...notInherited,
    VECTOR_BACKEND: settings.backend,
    CORPUS_DIR: settings.documents,
    INDEX_DIR: settings.indexDirectory,
    SEARCH_MODE: defaultMode,
    MCP_TRANSPORT: 'stdio',
    LOG_LEVEL: 'error',
    ...settings.more,
  };
}
