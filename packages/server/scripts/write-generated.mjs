// Writes what follows from the schema of variables and from package.json: the table in the README, and server.json.
import { readFileSync, writeFileSync } from 'node:fs';
import { variablesAsMarkdown } from '../dist/config/table.js';
import { registryEntry } from './registration.mjs';

const readme = new URL('../README.md', import.meta.url);
const text = readFileSync(readme, 'utf8');
const table = /\| variable +\| default +\| meaning +\|\n(\|.*\|\n)*/;
if (!table.test(text)) throw new Error('README.md holds no table of variables to replace.');
// A function, so that a dollar sign in the table stays one.
writeFileSync(
  readme,
  text.replace(table, () => variablesAsMarkdown()),
);

const entry = new URL('../../../server.json', import.meta.url);
writeFileSync(entry, `${JSON.stringify(registryEntry(), null, 2)}\n`);
