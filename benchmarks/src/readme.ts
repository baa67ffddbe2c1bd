import { readFile, writeFile } from 'node:fs/promises';
import { choiceSentences } from './report/choice.js';
import { markdownTable } from './report/markdown.js';
import { overviewTable, targetsTable } from './report/tables.js';
import type { Results } from './results/results.js';

const begin = '<!-- bench:start -->';
const end = '<!-- bench:end -->';

/**
 * Puts the figures of a run between the markers of a README, or only checks that they are there.
 *
 * @returns whether the README is in step (always, after writing)
 * @throws when the markers are missing
 */
export async function updateReadme(file: string, results: Results, check: boolean): Promise<boolean> {
  const text = await readFile(file, 'utf8');
  const wanted = withFigures(text, results);
  if (check) return text === wanted;
  if (text !== wanted) await writeFile(file, wanted);
  return true;
}

/** The text with the figures of `results` between its markers. */
export function withFigures(text: string, results: Results): string {
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`the README has no ${begin} … ${end} for the figures`);
  return `${text.slice(0, from + begin.length)}\n${readmeFigures(results)}\n${text.slice(to)}`;
}

function readmeFigures(results: Results): string {
  const { method, corpus } = results;
  const { cpu, cores, node } = { ...method.machine };
  return [
    ...choiceSentences(results).flatMap((sentence) => [sentence, '']),
    markdownTable(overviewTable(results)),
    '',
    `Measured by \`${method.command}\` on ${method.date.slice(0, 10)} at commit ${method.git.commit}: ${corpus.documents} documents in ${corpus.passages} passages, ${corpus.answerable.length} judged questions with an answer, ${cpu} (${cores} cores), Node ${node}.`,
    '',
    'What the design asks for, and what this run gives:',
    '',
    markdownTable(targetsTable(results)),
  ].join('\n');
}
