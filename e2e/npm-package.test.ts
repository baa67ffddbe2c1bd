import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import registration from '../server.json' with { type: 'json' };
import { ask } from './ask.js';
import { userEnvironment } from './clean-clone.js';
import { servePackages } from './package-registry.js';
import { StdioSession } from './stdio-session.js';

// What server.json says of the npm package: a client that reads it runs npx, which asks a registry for our packages
// as they are packed here, and the usual one for everybody else's.

// A script, so without types.
const { pnpm } = await import(new URL('../packages/server/scripts/pnpm.mjs', import.meta.url).href);

const minutes = 60_000;
const [entry] = registration.packages;
const [command, ...args] = [
  entry!.runtimeHint,
  '--yes',
  `${entry!.identifier}@${entry!.version}`,
  ...entry!.packageArguments.map(({ value }) => value),
] as [string, ...string[]];
const required = entry!.environmentVariables.filter(({ isRequired }) => isRequired).map(({ name }) => name);

let base: string;
let registry: Awaited<ReturnType<typeof servePackages>>;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'kettle-npm-'));
  const packed = join(base, 'packed');
  pnpm(
    ['--filter-prod', `${entry!.identifier}...`, 'pack', '--pack-destination', packed],
    fileURLToPath(new URL('..', import.meta.url)),
  );
  registry = await servePackages(packed);
  env = {
    ...userEnvironment(join(base, 'cache')),
    'npm_config_@kettle:registry': registry.url,
    npm_config_cache: join(base, 'npm'),
    // Where an addon has to be compiled, the compiler's optimisations take most of the time.
    CFLAGS: '-O0',
    CXXFLAGS: '-O0',
  };
  for (const folder of ['documents', 'elsewhere']) await mkdir(join(base, folder));
  await writeFile(join(base, 'documents', 'dogs.txt'), 'Dogs are welcome on the terrace.\n');
  await writeFile(join(base, 'documents', 'hours.txt'), 'We open at eight and close at six.\n');
}, 2 * minutes);

afterAll(async () => {
  registry?.close();
  await rm(base, { recursive: true, force: true });
});

/** Starts the server as server.json says, in an empty folder. */
function start(settings: Record<string, string>): StdioSession {
  return new StdioSession(command, args, { cwd: join(base, 'elsewhere'), env: { ...env, ...settings } });
}

test(
  'npx installs the package and serves a folder',
  async () => {
    expect(required).toEqual(['CORPUS_DIR']);
    const session = start({ CORPUS_DIR: join(base, 'documents') });
    try {
      expect(await ask(session, 'can I bring a dog')).toEqual(['dogs.txt', 'hours.txt']);
      const { code, lines, stderr } = await session.end();
      for (const line of lines) expect(JSON.parse(line)).toHaveProperty('jsonrpc', '2.0');
      expect(code, stderr).toBe(0);
    } finally {
      session.kill();
    }
  },
  4 * minutes,
);

test('without a folder it names the variable that is missing', async () => {
  const { code, lines, stderr } = await start({}).end();
  expect({ code, lines }).toEqual({ code: 2, lines: [] });
  expect(stderr).toBe('kettle: CORPUS_DIR must be set to a folder of documents that can be read\n');
});

test('only these packages run a script when they are installed, and no image library comes along', async () => {
  const [installed] = await readdir(join(base, 'npm', '_npx'));
  const lock = JSON.parse(
    await readFile(join(base, 'npm', '_npx', installed!, 'package-lock.json'), 'utf8'),
  ) as { packages: Record<string, { hasInstallScript?: boolean }> };
  const names = Object.keys(lock.packages).map((path) => path.replace(/^.*node_modules\//, ''));
  expect(names).toContain('@kettle/server');
  expect(names.filter((name) => /^sharp$|^@img\/|^onnxruntime-web$|^@xenova\//.test(name))).toEqual([]);
  const scripts = names.filter((_, index) => Object.values(lock.packages)[index]!.hasInstallScript);
  expect(scripts.sort()).toEqual(['better-sqlite3', 'hnswlib-node', 'usearch']);
});
