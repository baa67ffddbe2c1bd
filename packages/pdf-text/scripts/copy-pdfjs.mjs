// Takes from pdf.js what reading text needs: its build for Node 20, and the character maps of Chinese, Japanese
// and Korean fonts. The whole package is ten times as large and brings a drawing library.
import { cpSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const from = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));
const to = fileURLToPath(new URL('../dist/pdfjs', import.meta.url));
mkdirSync(to, { recursive: true });
for (const [source, target] of [
  ['LICENSE', 'LICENSE'],
  ['legacy/build/pdf.min.mjs', 'pdf.mjs'],
  ['legacy/build/pdf.worker.min.mjs', 'pdf.worker.mjs'],
  ['cmaps', 'cmaps'],
])
  cpSync(join(from, source), join(to, target), { recursive: true });
