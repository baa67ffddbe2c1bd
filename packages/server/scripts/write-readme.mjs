// Writes the table of variables into the README, from the schema as it was built.
import { readFileSync, writeFileSync } from 'node:fs';
import { variablesAsMarkdown } from '../dist/config/table.js';

const file = new URL('../README.md', import.meta.url);
const text = readFileSync(file, 'utf8');
const table = /\| variable +\| default +\| meaning +\|\n(\|.*\|\n)*/;
if (!table.test(text)) throw new Error('README.md holds no table of variables to replace.');
// A function, so that a dollar sign in the table stays one.
writeFileSync(
  file,
  text.replace(table, () => variablesAsMarkdown()),
);
