import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it. Where the system takes no folder and says that there is none (`/proc`), Node's
 * own recursive `mkdir` tries for ever; this one rejects.
 */
export async function makeFolder(path: string): Promise<void> {
  const parent = dirname(path);
  try {
    await mkdirUnlessThere(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === path) throw error;
    await makeFolder(parent);
    await mkdirUnlessThere(path);
  }
}

async function mkdirUnlessThere(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
