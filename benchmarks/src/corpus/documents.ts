import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TextDocument } from '../baselines/baseline.js';

/** The documents of these names in `directory`, as text: what the baselines read. */
export function readDocuments(directory: string, names: readonly string[]): Promise<TextDocument[]> {
  return Promise.all(
    names.map(async (name) => ({ name, text: await readFile(join(directory, name), 'utf8') })),
  );
}
