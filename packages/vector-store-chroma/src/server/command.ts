import { fileURLToPath } from 'node:url';
import { VectorStoreError } from '@kettle/vector-store';

/** Starts the server that came with the `chromadb` package. */
export function defaultCommand(): readonly string[] {
  return [process.execPath, fileURLToPath(new URL('./cli.mjs', import.meta.resolve('chromadb')))];
}

/**
 * Splits a command line into words at spaces; single or double quotes keep spaces in a word. No other
 * character is special, so Windows paths stay whole.
 *
 * @throws {VectorStoreError} `invalid_argument` for an empty command or an open quote.
 */
export function parseCommand(line: string): readonly string[] {
  const words = [...line.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+/g)].map(([word]) =>
    word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'),
  );
  if (words.length === 0 || /["']/.test(line.replace(/"[^"]*"|'[^']*'/g, ''))) {
    throw new VectorStoreError(
      'invalid_argument',
      `The command to start Chroma is ${JSON.stringify(line)}: give a program and its arguments, quotes in pairs.`,
    );
  }
  return words;
}
