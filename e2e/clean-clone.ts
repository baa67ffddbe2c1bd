import { execFileSync } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

export interface CleanClone {
  readonly directory: string;
  /** A {@link userEnvironment}. */
  readonly env: NodeJS.ProcessEnv;
  remove(): Promise<void>;
}

/** What a clone would hold if the working tree were committed: tracked and new files, nothing ignored. */
export async function cleanClone(): Promise<CleanClone> {
  const base = await mkdtemp(join(tmpdir(), 'kettle-clone-'));
  const directory = join(base, 'kettle');
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
  })
    .toString()
    .split('\0')
    .filter((name) => name !== '');
  for (const name of new Set(files)) {
    await cp(join(root, name), join(directory, name)).catch((error: NodeJS.ErrnoException) => {
      // Deleted in the working tree but not yet in the index.
      if (error.code !== 'ENOENT') throw error;
    });
  }
  return {
    directory,
    env: userEnvironment(join(base, 'cache')),
    remove: () => rm(base, { recursive: true, force: true }),
  };
}

/** The environment of a user who has never run Kettle: nothing in its cache, no settings of this test run. */
export function userEnvironment(cache: string): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = { XDG_CACHE_HOME: cache };
  for (const [name, value] of Object.entries(process.env)) {
    // What vitest and pnpm set for this run would not be there in a user's shell; where Node's headers are might be.
    if (!/^(npm_(?!config_nodedir$)|NODE_ENV$|VITEST|PNPM_SCRIPT|INIT_CWD$|XDG_CACHE_HOME$|CI$)/.test(name))
      env[name] = value;
  }
  return env;
}
