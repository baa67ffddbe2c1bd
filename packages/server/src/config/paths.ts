import { createHash } from 'node:crypto';
import { existsSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout that this code runs in; undefined where it was installed from a package or a bundle. */
export const checkout = findCheckout(fileURLToPath(new URL('../../../..', import.meta.url)));

/** The sample corpus. Only a checkout has it. */
export const sampleCorpus = checkout && join(checkout, 'corpus');

function findCheckout(folder: string): string | undefined {
  const isOurs = ['pnpm-workspace.yaml', 'corpus/corpus.json'].every((name) =>
    existsSync(join(folder, name)),
  );
  return isOurs ? folder : undefined;
}

/** Kettle's folder in the user's cache folder, as XDG says. */
export function cacheDirectory(env: NodeJS.ProcessEnv): string {
  const base = env.XDG_CACHE_HOME;
  // XDG: a relative path is invalid and to be ignored.
  return join(base && isAbsolute(base) ? base : join(homedir(), '.cache'), 'kettle');
}

/** Where users' relative paths start: pnpm runs scripts in the package's folder and says where it was called. */
export function userDirectory(env: NodeJS.ProcessEnv): string {
  return env.INIT_CWD || process.cwd();
}

/** A folder for the index of one corpus: readable by its name, distinct by where the corpus is. */
export function indexDirectoryFor(corpusDirectory: string, cache: string): string {
  const real = realpathSync(corpusDirectory);
  const name = basename(real).replaceAll(/[^\w.-]+/g, '-') || 'corpus';
  return join(cache, `${name}-${createHash('sha256').update(real).digest('hex').slice(0, 8)}`);
}

/** Whether a path leads to a folder. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** The path itself where something is there, else the nearest folder above it, or what stands where one should be. */
export function nearestExisting(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestExisting(dirname(path));
}

/** An absolute path for what a user wrote. */
export function userPath(path: string, from: string): string {
  return resolve(from, path);
}

/**
 * A command line whose program is found from anywhere: a relative path starts in `from`, a bare name is looked up by
 * the system, as a shell does.
 */
export function userCommand(line: string, from: string): string {
  const command = line.trimStart();
  const program = /^(?:"[^"]*"|'[^']*'|[^\s"'])*/.exec(command)?.[0].replaceAll(/["']/g, '') ?? '';
  if (isAbsolute(program) || !/[\\/]/.test(program)) return line;
  // The folder stands in front of the program in the same word, in quotes of its own.
  const quote = from.includes('"') ? "'" : '"';
  return `${quote}${from}${sep}${quote}${command}`;
}
