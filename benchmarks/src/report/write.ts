import { mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Results } from '../results/results.js';
import { findSoak } from '../results/soak.js';
import { htmlReport } from './html.js';
import { markdownReport } from './markdown.js';

/**
 * Writes report.md and report.html and gives their paths. Figures of a soak test, in soak.json beside them, are shown
 * with the rest.
 *
 * @param path the folder for them, or the results.json that they belong beside
 */
export async function writeReports(path: string, results: Results): Promise<string[]> {
  const directory = await stat(path).then(
    (stats) => (stats.isFile() ? dirname(path) : path),
    () => path,
  );
  await mkdir(directory, { recursive: true });
  const soak = await findSoak(directory);
  const reports = { 'report.md': markdownReport(results, soak), 'report.html': htmlReport(results, soak) };
  for (const [name, text] of Object.entries(reports)) await writeFile(join(directory, name), text);
  return Object.keys(reports).map((name) => join(directory, name));
}
