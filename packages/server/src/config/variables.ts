import { z } from 'zod';
import { backends } from '../backends.js';
import { logThresholds } from '../log.js';

/** What help and error messages say about a variable. */
export interface VariableNotes {
  /** What it is for, as a sentence without a full stop. */
  readonly meaning: string;
  /** What it may be; finishes the sentence "NAME must be …". */
  readonly allowed: string;
  /** What holds when it is unset, in words; left out where the schema itself has a default. */
  readonly unset?: string;
  /** Never shown in a message. */
  readonly secret?: boolean;
  /** It names a folder. */
  readonly path?: boolean;
}

/** The longest that a timer of Node's can wait, in milliseconds. */
const longestTimeout = 2 ** 31 - 1;

const notes = z.registry<VariableNotes>();

const text = (about: VariableNotes) => z.string().optional().register(notes, about);

const choice = <const T extends readonly [string, ...string[]]>(
  values: T,
  preset: T[number],
  meaning: string,
) =>
  z
    .enum(values)
    .default(preset as never)
    .register(notes, { meaning, allowed: `one of ${values.join(', ')}` });

const url = (about: Omit<VariableNotes, 'allowed'>) =>
  z
    .url({ protocol: /^https?$/, hostname: /./ })
    .optional()
    .register(notes, { ...about, allowed: 'an http:// or https:// address' });

const list = (item: RegExp, about: VariableNotes) =>
  z
    .string()
    .transform((value) =>
      value
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== ''),
    )
    .refine((items) => items.every((value) => item.test(value)))
    .optional()
    .register(notes, about);

/**
 * Every variable that Kettle reads, in the order in which help shows them. It is the only place that names
 * them: the types, the checks, `--help` and the table in the README follow from it.
 */
export const variables = z.object({
  VECTOR_BACKEND: choice(
    backends.map(({ name }) => name) as [string, ...string[]],
    'hnsw',
    'where vectors are kept and searched',
  ),
  CORPUS_DIR: text({
    meaning: 'folder of documents to index, read recursively',
    allowed: 'a folder that can be read',
    unset: "the sample cafe's in a checkout; elsewhere it must be set",
    path: true,
  }),
  CORPUS_NAME: text({
    meaning: 'what the tool descriptions call the documents',
    allowed: 'text',
    unset: "from `corpus.json`, else the folder's name",
  }),
  CORPUS_DESCRIPTION: text({
    meaning: 'what the tool descriptions say the documents are about',
    allowed: 'text',
    unset: 'from `corpus.json`, else none',
  }),
  INDEX_DIR: text({
    meaning: 'where the index lives',
    allowed: 'a folder that can be written',
    unset: "a folder per corpus in the user's cache folder",
    path: true,
  }),
  EMBEDDING_MODEL: z
    .string()
    // Segments become names of folders: none may lead elsewhere.
    .regex(/^(?!\.{1,2}(\/|$))[\w.-]+(\/(?!\.{1,2}$)[\w.-]+)?$/)
    .default('Xenova/all-MiniLM-L6-v2')
    .register(notes, {
      meaning: 'feature-extraction model that @xenova/transformers can load; the default needs no network',
      allowed: "a model's id, such as Xenova/multilingual-e5-small",
    }),
  EMBEDDING_MODEL_DIR: text({
    meaning: 'folder with models in hub layout (`<organisation>/<model>/…`), looked at first',
    allowed: 'a folder that can be read',
    unset: 'only the model that comes with Kettle, and the download cache',
    path: true,
  }),
  HF_ENDPOINT: url({ meaning: 'model hub or mirror to download from', unset: 'the Hugging Face hub' }),
  CHROMA_URL: url({
    meaning: 'Chroma server, self-hosted, distributed or Cloud',
    unset: 'a private one, started in `INDEX_DIR` and ended again',
  }),
  CHROMA_API_KEY: text({
    meaning: 'key for that server',
    allowed: 'text',
    unset: 'none',
    secret: true,
  }),
  CHROMA_TENANT: text({ meaning: 'tenant on that server', allowed: 'text', unset: "the server's default" }),
  CHROMA_DATABASE: text({
    meaning: 'database on that server',
    allowed: 'text',
    unset: "the server's default",
  }),
  CHROMA_COMMAND: text({
    meaning: 'how to start the private Chroma server, where the npm binary cannot run',
    allowed: 'a command',
    unset: 'the `chroma` of our own dependency',
  }),
  CHROMA_TIMEOUT_MS: z
    .string()
    .regex(/^\d{1,10}$/)
    .transform(Number)
    .refine((milliseconds) => milliseconds >= 1 && milliseconds <= longestTimeout)
    .default(10_000)
    .register(notes, {
      meaning: 'how long a Chroma server may take for one request, in milliseconds',
      allowed: `a whole number from 1 to ${longestTimeout}`,
    }),
  SEARCH_MODE: choice(
    ['vector', 'keyword', 'hybrid'],
    'hybrid',
    'how passages are found: by meaning, by words or by both',
  ),
  MCP_TRANSPORT: choice(
    ['stdio', 'http'],
    'stdio',
    'how clients reach the server (`http` is Streamable HTTP)',
  ),
  HOST: z.string().default('127.0.0.1').register(notes, {
    meaning: 'address that HTTP listens on; one beyond this machine needs `MCP_AUTH_TOKEN`',
    allowed: 'an address of this machine, or one beyond it together with MCP_AUTH_TOKEN',
  }),
  PORT: z
    .string()
    .regex(/^\d{1,5}$/)
    .transform(Number)
    .refine((port) => port <= 65_535)
    .default(3000)
    .register(notes, {
      meaning: 'port that HTTP listens on; 0 takes any free one',
      allowed: 'a whole number from 0 to 65535',
    }),
  MCP_AUTH_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]+$/)
    .optional()
    .register(notes, {
      meaning: 'bearer token that HTTP clients must send',
      allowed: 'printable ASCII without spaces',
      unset: 'none',
      secret: true,
    }),
  MCP_ALLOWED_HOSTS: list(/^[^\s/?#@*]+$/, {
    meaning: 'further values of the Host header that HTTP accepts, separated by commas',
    allowed: 'host names separated by commas, such as kettle.example.com',
    unset: 'only names of this machine',
  }),
  // Not only http: pages of editors and extensions have schemes of their own.
  MCP_ALLOWED_ORIGINS: list(/^[a-z][a-z\d+.-]*:\/\/[^\s/?#@]+\/?$/i, {
    meaning: 'further values of the Origin header that HTTP accepts, separated by commas',
    allowed: 'origins separated by commas, such as https://chat.example.com',
    unset: 'only pages from this machine',
  }),
  LOG_LEVEL: choice(logThresholds, 'info', 'least severe message that is written to stderr'),
});

export type VariableName = keyof typeof variables.shape;
export type Variables = z.output<typeof variables>;

/** Notes on one variable. */
export function notesOn(name: VariableName): VariableNotes {
  return notes.get(variables.shape[name]) as VariableNotes;
}
