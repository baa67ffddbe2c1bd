import { createHash } from 'node:crypto';
import { realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The sample corpus that comes with Kettle. */
export const sampleCorpus = fileURLToPath(new URL('../../../../corpus', import.meta.url));

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

/** An absolute path for what a user wrote. */
export function userPath(path: string, from: string): string {
  return resolve(from, path);
}
