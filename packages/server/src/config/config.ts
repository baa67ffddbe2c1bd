import { isIP } from 'node:net';
import { hostname } from 'node:os';
import type { BackendSettings } from '../backends.js';
import { isLoopback } from '../http/loopback.js';
import type { LogThreshold } from '../log.js';
import { ConfigError } from './config-error.js';
import {
  cacheDirectory,
  indexDirectoryFor,
  isFolder,
  sampleCorpus,
  userCommand,
  userDirectory,
  userPath,
} from './paths.js';
import { notesOn, type VariableName, type Variables, variables } from './variables.js';

/** Everything that can be set, checked, with every path absolute. Frozen. */
export interface Config {
  readonly backend: string;
  readonly backendSettings: BackendSettings;
  /** Folder with the documents, or with a `corpus.json` that says where they are. */
  readonly corpusDirectory: string;
  readonly corpusName: string | undefined;
  readonly corpusDescription: string | undefined;
  readonly indexDirectory: string;
  readonly model: string;
  /** Folder of the user's own models. */
  readonly modelDirectory: string | undefined;
  /** Where downloaded models are kept. */
  readonly modelCache: string;
  readonly hubEndpoint: string | undefined;
  readonly searchMode: 'vector' | 'keyword' | 'hybrid';
  readonly transport: 'stdio' | 'http';
  readonly http: {
    readonly host: string;
    readonly port: number;
    readonly authToken: string | undefined;
    readonly allowedHosts: readonly string[];
    readonly allowedOrigins: readonly string[];
  };
  readonly logLevel: LogThreshold;
}

/**
 * Reads the environment. An empty variable counts as unset.
 * @throws {ConfigError} for the first bad value, naming the variable, the value and what is allowed.
 */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = variables.safeParse(given);
  if (!parsed.success) throw badValue(parsed.error.issues[0]?.path[0] as VariableName, given);
  const values = parsed.data;
  for (const name of ['CORPUS_DIR', 'EMBEDDING_MODEL_DIR'] as const) {
    const path = values[name];
    if (path !== undefined && !isFolder(userPath(path, userDirectory(given)))) throw badValue(name, given);
  }
  const corpus = values.CORPUS_DIR ?? sampleCorpus;
  if (corpus === undefined)
    throw new ConfigError('CORPUS_DIR must be set to a folder of documents that can be read');
  if (values.MCP_TRANSPORT === 'http' && !values.MCP_AUTH_TOKEN && !isLoopback(values.HOST))
    throw unguarded(values.HOST);
  return toConfig(values, corpus, given);
}

function toConfig(values: Variables, corpus: string, env: NodeJS.ProcessEnv): Config {
  const from = userDirectory(env);
  const cache = cacheDirectory(env);
  const corpusDirectory = userPath(corpus, from);
  return deepFreeze({
    backend: values.VECTOR_BACKEND,
    backendSettings: {
      chroma: withoutUndefined({
        url: values.CHROMA_URL,
        apiKey: values.CHROMA_API_KEY,
        tenant: values.CHROMA_TENANT,
        database: values.CHROMA_DATABASE,
        command: values.CHROMA_COMMAND && userCommand(values.CHROMA_COMMAND, from),
        deadline: values.CHROMA_TIMEOUT_MS,
      }),
    },
    corpusDirectory,
    corpusName: values.CORPUS_NAME,
    corpusDescription: values.CORPUS_DESCRIPTION,
    indexDirectory: values.INDEX_DIR
      ? userPath(values.INDEX_DIR, from)
      : indexDirectoryFor(corpusDirectory, cache),
    model: values.EMBEDDING_MODEL,
    modelDirectory: values.EMBEDDING_MODEL_DIR && userPath(values.EMBEDDING_MODEL_DIR, from),
    modelCache: `${cache}/models`,
    hubEndpoint: values.HF_ENDPOINT,
    searchMode: values.SEARCH_MODE,
    transport: values.MCP_TRANSPORT,
    http: {
      host: values.HOST,
      port: values.PORT,
      authToken: values.MCP_AUTH_TOKEN,
      allowedHosts: values.MCP_ALLOWED_HOSTS ?? [],
      allowedOrigins: values.MCP_ALLOWED_ORIGINS ?? [],
    },
    logLevel: values.LOG_LEVEL,
  });
}

function badValue(name: VariableName, env: NodeJS.ProcessEnv): ConfigError {
  const { allowed, secret, path } = notesOn(name);
  const value = secret ? 'the value given' : JSON.stringify(env[name]).slice(0, 200);
  const home = path && env[name]?.startsWith('~') ? '; ~ is not expanded here, write the full path' : '';
  return new ConfigError(`${name} must be ${allowed}, not ${value}${home}`);
}

/** Why HTTP doesn't listen on `host` without a token. It isn't known whether a name is this machine's. */
function unguarded(host: string): ConfigError {
  if (isIP(host.replaceAll(/^\[|\]$/g, '')) !== 0 || host === hostname())
    return new ConfigError(`HOST ${host} is open to other machines: set MCP_AUTH_TOKEN to listen on ${host}`);
  const value = JSON.stringify(host).slice(0, 200);
  return new ConfigError(`HOST must be localhost or an IP address of this machine, not ${value}`);
}

type Defined<T> = { readonly [K in keyof T]?: NonNullable<T[K]> };

function withoutUndefined<T extends object>(value: T): Defined<T> {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as Defined<T>;
}

function deepFreeze<T extends object>(value: T): T {
  for (const item of Object.values(value)) if (typeof item === 'object' && item !== null) deepFreeze(item);
  return Object.freeze(value);
}
