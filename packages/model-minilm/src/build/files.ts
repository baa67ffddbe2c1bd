import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Hex sha256 of some bytes. */
export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Whether the file exists with exactly this content. */
export async function hasContent(file: string, expected: string): Promise<boolean> {
  try {
    return sha256(await readFile(file)) === expected;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/** Fails, naming the file, when its bytes aren't the ones this package was written for. */
export function checkContent(file: string, bytes: Uint8Array, expected: string, remedy: string): void {
  const actual = sha256(bytes);
  if (actual !== expected) {
    throw new Error(`${file} has sha256 ${actual}, expected ${expected}. ${remedy}`);
  }
}

/** Writes a file so that readers see all of it or none, also when two builds run at once. */
export async function writeAtomically(file: string, bytes: Uint8Array): Promise<void> {
  const temporary = `${file}.${randomUUID()}.tmp`;
  await mkdir(path.dirname(file), { recursive: true });
  try {
    await writeFile(temporary, bytes);
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
