// Brings a checkout to a state in which it runs: dependencies installed, packages built. Depends on nothing
// but Node, since on a fresh clone there is nothing else. Writes to stderr only: stdout may belong to a protocol.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { takeLock } from './setup-lock.mjs';

export const root = fileURLToPath(new URL('..', import.meta.url));

const stampDir = join(root, 'node_modules', '.kettle');
const lockFile = join(root, '.setup.lock');

/** Installs and builds where needed. Throws an error whose message says which step failed. */
export async function ensureReady() {
  if (isReady()) return;
  // Two clients may start on a fresh clone at once: one sets up, the other waits.
  const release = await takeLock(lockFile, (holder) =>
    process.stderr.write(
      `kettle: process ${holder ?? ''} is setting up this checkout; waiting for it (if it isn't, delete .setup.lock) …\n`,
    ),
  );
  try {
    if (!isFresh('installed', installSignature())) {
      step(
        'installing dependencies (the first time takes a few minutes)',
        ['install', '--frozen-lockfile', '--reporter=append-only'],
        " It takes the npm registry. If the lines above name node-gyp, an addon was to be compiled: that takes a C++ toolchain, Python, and Node's headers, from nodejs.org or from the folder in npm_config_nodedir (such as /usr).",
      );
      stamp('installed', installSignature());
    }
    if (!isFresh('built', buildSignature())) {
      step('building', ['exec', 'turbo', 'run', 'build', '--output-logs=errors-only']);
      stamp('built', buildSignature());
    }
  } finally {
    release();
  }
}

function isReady() {
  return isFresh('installed', installSignature()) && isFresh('built', buildSignature());
}

function packageDirs() {
  const inPackages = readdirSync(join(root, 'packages')).map((name) => join(root, 'packages', name));
  return [...inPackages, join(root, 'benchmarks')].filter((dir) => existsSync(join(dir, 'package.json')));
}

/** Contents of everything that decides what an install would do. */
function installSignature() {
  const hash = createHash('sha256').update(process.version);
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json'])
    hash.update(readFileSync(join(root, file)));
  for (const dir of packageDirs()) hash.update(readFileSync(join(dir, 'package.json')));
  return hash.digest('hex');
}

/** Name, size and time of every source file, and whether each package's output is there. */
function buildSignature() {
  const hash = createHash('sha256');
  const add = (file) => {
    const { size, mtimeMs } = statSync(file);
    hash.update(`${file}\0${size}\0${mtimeMs}\n`);
  };
  add(join(root, 'tsconfig.base.json'));
  for (const dir of packageDirs()) {
    hash.update(`${dir} ${existsSync(join(dir, 'dist', 'index.js'))}\n`);
    for (const entry of readdirSync(join(dir, 'src'), { recursive: true, withFileTypes: true })) {
      if (entry.isFile()) add(join(entry.parentPath ?? entry.path, entry.name));
    }
  }
  return hash.digest('hex');
}

function isFresh(name, signature) {
  const file = join(stampDir, name);
  return existsSync(file) && readFileSync(file, 'utf8') === signature;
}

function stamp(name, signature) {
  mkdirSync(stampDir, { recursive: true });
  writeFileSync(join(stampDir, name), signature);
}

/** Runs pnpm. When it fails, the error ends with `hint`. */
function step(what, args, hint = '') {
  process.stderr.write(`kettle: ${what} …\n`);
  const started = Date.now();
  // pnpm tells its scripts where it lives, also when npx brought it and it is on no PATH.
  const pnpm = process.env.npm_execpath?.match(/pnpm\.[cm]?js$/)
    ? { command: process.execPath, args: [process.env.npm_execpath] }
    : { command: 'pnpm', args: [] };
  const { status, signal, error } = spawnSync(pnpm.command, [...pnpm.args, ...args], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    // No prompt may wait for an answer that nobody is there to give.
    env: { ...process.env, CI: 'true', TURBO_TELEMETRY_DISABLED: '1' },
  });
  if (error) throw new Error(`${what} failed: ${error.message}. Is pnpm installed? (npm install -g pnpm)`);
  if (status !== 0)
    throw new Error(`${what} failed (${signal ?? `exit code ${status}`}); the reason is above.${hint}`);
  process.stderr.write(`kettle: done in ${((Date.now() - started) / 1000).toFixed(1)} s\n`);
}
