import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultSearchMode } from '../../search/src/search-index.js';
import { readConfig } from '../src/config/config.js';
import { ConfigError } from '../src/config/config-error.js';
import { variableRows } from '../src/config/table.js';
import { tempFolder } from './support/temp-folder.js';

describe('the configuration', () => {
  it('has these defaults', () => {
    const config = readConfig({});
    expect(config).toMatchObject({
      backend: 'hnsw',
      backendSettings: { chroma: { deadline: 10_000 } },
      corpusDirectory: expect.stringMatching(/[\\/]corpus$/),
      corpusName: undefined,
      corpusDescription: undefined,
      model: 'Xenova/all-MiniLM-L6-v2',
      modelDirectory: undefined,
      modelCache: join(homedir(), '.cache', 'kettle', 'models'),
      hubEndpoint: undefined,
      searchMode: 'hybrid',
      transport: 'stdio',
      http: { host: '127.0.0.1', port: 3000, authToken: undefined, allowedHosts: [], allowedOrigins: [] },
      logLevel: 'info',
    });
    expect(config.indexDirectory).toMatch(/[\\/]\.cache[\\/]kettle[\\/]corpus-[0-9a-f]{8}$/);
  });

  it('searches as the index does by default, though it names that apart so as to start without it', () => {
    expect(readConfig({}).searchMode).toBe(defaultSearchMode);
  });

  it('takes an empty variable for an unset one', () => {
    const empty = Object.fromEntries(variableRows().map(({ name }) => [name, '']));
    expect(readConfig(empty)).toEqual(readConfig({}));
  });

  it('is frozen through and through', () => {
    const config = readConfig({ MCP_ALLOWED_HOSTS: 'a' });
    for (const part of [config, config.http, config.http.allowedHosts, config.backendSettings.chroma])
      expect(Object.isFrozen(part)).toBe(true);
  });

  it('resolves paths from where the user called pnpm, else from the working folder', async () => {
    const base = await tempFolder({ 'docs/a.txt': 'a', 'models/.keep': '' });
    const paths = { CORPUS_DIR: 'docs', INDEX_DIR: 'index', EMBEDDING_MODEL_DIR: 'models' };
    expect(readConfig({ ...paths, INIT_CWD: base })).toMatchObject({
      corpusDirectory: join(base, 'docs'),
      indexDirectory: join(base, 'index'),
      modelDirectory: join(base, 'models'),
    });
    expect(readConfig({ INDEX_DIR: 'x' }).indexDirectory).toBe(join(process.cwd(), 'x'));
  });

  it.each([
    ['scripts/chroma.sh', '"/home/me/"scripts/chroma.sh'],
    ['./chroma --quiet', '"/home/me/"./chroma --quiet'],
    ['"my tools/chroma" --quiet', '"/home/me/""my tools/chroma" --quiet'],
    ['my" "tools/chroma', '"/home/me/"my" "tools/chroma'],
    ['chroma', 'chroma'],
    ['docker run chroma/chroma', 'docker run chroma/chroma'],
    ['/opt/chroma run', '/opt/chroma run'],
    ['"/opt/my tools/chroma"', '"/opt/my tools/chroma"'],
  ])('finds the program of the command %s as a shell would', (CHROMA_COMMAND, command) => {
    const { chroma } = readConfig({ CHROMA_COMMAND, INIT_CWD: '/home/me' }).backendSettings;
    expect(chroma.command).toBe(command);
  });

  it('keeps the indexes of different folders apart, and in the cache folder', async () => {
    const [one, other, cache] = [await tempFolder(), await tempFolder(), await tempFolder()];
    const [a, b] = [one, other].map(
      (CORPUS_DIR) => readConfig({ CORPUS_DIR, XDG_CACHE_HOME: cache }).indexDirectory,
    );
    expect(a).not.toBe(b);
    expect(a?.startsWith(join(cache, 'kettle'))).toBe(true);
    expect(readConfig({ XDG_CACHE_HOME: 'relative' }).modelCache).toBe(readConfig({}).modelCache);
  });

  it('reads what HTTP needs', () => {
    const { http } = readConfig({
      MCP_TRANSPORT: 'http',
      HOST: '0.0.0.0',
      PORT: '0',
      MCP_AUTH_TOKEN: 'secret',
      MCP_ALLOWED_HOSTS: 'a.example, b.example,',
      MCP_ALLOWED_ORIGINS: 'https://a.example',
    });
    expect(http).toEqual({
      host: '0.0.0.0',
      port: 0,
      authToken: 'secret',
      allowedHosts: ['a.example', 'b.example'],
      allowedOrigins: ['https://a.example'],
    });
  });

  it.each([
    [{ VECTOR_BACKEND: 'faiss' }, /^VECTOR_BACKEND must be one of hnsw, .*exact.*, not "faiss"$/],
    [{ VECTOR_BACKEND: 'HNSW' }, /^VECTOR_BACKEND must be one of/],
    [
      { CORPUS_DIR: '/no/such/folder' },
      /^CORPUS_DIR must be a folder that can be read, not "\/no\/such\/folder"$/,
    ],
    [{ CORPUS_DIR: '~/notes' }, /, not "~\/notes"; ~ is not expanded here, write the full path$/],
    [{ EMBEDDING_MODEL_DIR: '/no/such/folder' }, /^EMBEDDING_MODEL_DIR must be a folder/],
    [{ CORPUS_DIR: import.meta.filename }, /^CORPUS_DIR must be a folder/],
    [{ CORPUS_DIR: `${import.meta.filename}/below` }, /^CORPUS_DIR must be a folder/],
    [{ CORPUS_DIR: 'x'.repeat(5000) }, /^CORPUS_DIR must be a folder/],
    [{ HF_ENDPOINT: 'ftp://x' }, /^HF_ENDPOINT must be an http:\/\/ or https:\/\/ address, not "ftp:\/\/x"$/],
    [{ CHROMA_URL: 'localhost:8000' }, /^CHROMA_URL must be an http/],
    [{ CHROMA_TIMEOUT_MS: '0' }, /^CHROMA_TIMEOUT_MS must be a whole number from 1 to 2147483647, not "0"$/],
    [{ CHROMA_TIMEOUT_MS: '2147483648' }, /^CHROMA_TIMEOUT_MS must be/],
    [{ CHROMA_TIMEOUT_MS: '1.5' }, /^CHROMA_TIMEOUT_MS must be/],
    [{ SEARCH_MODE: 'magic' }, /^SEARCH_MODE must be one of vector, keyword, hybrid/],
    [{ MCP_TRANSPORT: 'sse' }, /^MCP_TRANSPORT must be one of stdio, http/],
    [{ PORT: '65536' }, /^PORT must be a whole number from 0 to 65535, not "65536"$/],
    [{ PORT: '-1' }, /^PORT must be/],
    [{ PORT: '80.5' }, /^PORT must be/],
    [{ PORT: '0x50' }, /^PORT must be/],
    [{ LOG_LEVEL: 'loud' }, /^LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent/],
    [
      { MCP_TRANSPORT: 'http', HOST: '0.0.0.0' },
      /^HOST 0\.0\.0\.0 .*set MCP_AUTH_TOKEN to listen on 0\.0\.0\.0$/,
    ],
    [{ MCP_TRANSPORT: 'http', HOST: '::' }, /set MCP_AUTH_TOKEN to listen on ::$/],
    [{ MCP_TRANSPORT: 'http', HOST: '[::]' }, /set MCP_AUTH_TOKEN to listen on/],
    // A token would not make it an address of this machine.
    [
      { MCP_TRANSPORT: 'http', HOST: '127.0.0.1.example.com' },
      /^HOST must be localhost or an IP address of this machine, not "127\.0\.0\.1\.example\.com"$/,
    ],
    [
      { MCP_AUTH_TOKEN: 'two words' },
      /^MCP_AUTH_TOKEN must be printable ASCII without spaces, not the value given$/,
    ],
    [
      { MCP_ALLOWED_HOSTS: 'a.example, https://b.example' },
      /^MCP_ALLOWED_HOSTS must be host names .*, not "a\.example, https:\/\/b\.example"$/,
    ],
    [{ MCP_ALLOWED_HOSTS: '*' }, /^MCP_ALLOWED_HOSTS must be host names .*, not "\*"$/],
    [{ MCP_ALLOWED_HOSTS: '*.example.com' }, /^MCP_ALLOWED_HOSTS must be host names/],
    [{ MCP_ALLOWED_HOSTS: 'a.example b.example' }, /^MCP_ALLOWED_HOSTS must be host names/],
    [{ MCP_ALLOWED_ORIGINS: 'chat.example.com' }, /^MCP_ALLOWED_ORIGINS must be origins/],
    [{ MCP_ALLOWED_ORIGINS: '*' }, /^MCP_ALLOWED_ORIGINS must be origins/],
    [{ MCP_ALLOWED_ORIGINS: 'https://a.example/page' }, /^MCP_ALLOWED_ORIGINS must be origins/],
  ])('refuses %j', (env, message) => {
    expect(() => readConfig(env)).toThrow(ConfigError);
    expect(() => readConfig(env)).toThrow(message);
  });

  it.each(['../../etc', '../etc', '..', '.', 'a/..', 'a/.', './a', 'a/b/c', '/a', 'a/', 'a\\b'])(
    'refuses the model %s: its name is a path below the folder of models',
    (EMBEDDING_MODEL) => {
      expect(() => readConfig({ EMBEDDING_MODEL })).toThrow(/^EMBEDDING_MODEL must be a model's id/);
    },
  );

  it.each(['gte-small', 'Xenova/all-MiniLM-L6-v2', 'a.b/c..d', '..a/b'])('takes the model %s', (model) => {
    expect(readConfig({ EMBEDDING_MODEL: model }).model).toBe(model);
  });

  it('takes origins of any scheme, and hosts with ports or as addresses', () => {
    const origins = ['https://a.example', 'http://10.0.0.7:8080/', 'vscode-webview://abc'];
    const hosts = ['kettle.example.com:8443', '10.0.0.7', '[::1]:3000'];
    const { http } = readConfig({ MCP_ALLOWED_ORIGINS: origins.join(), MCP_ALLOWED_HOSTS: hosts.join() });
    expect([http.allowedOrigins, http.allowedHosts]).toEqual([origins, hosts]);
  });

  it.each(['127.0.0.1', '127.8.9.1', '::1', '[::1]', 'localhost'])(
    'lets HTTP listen on %s without a token',
    (HOST) => {
      expect(readConfig({ MCP_TRANSPORT: 'http', HOST }).http.host).toBe(HOST);
    },
  );

  it('names one bad value in one line, however long and odd it is', () => {
    const env = { LOG_LEVEL: `a\n${'b'.repeat(1000)}`, PORT: 'x' };
    expect(() => readConfig(env)).toThrow(/^.{20,400}$/);
  });
});
