import type { Results } from '../results/results.js';
import { apartSentences } from './apart.js';
import { choiceSentences } from './choice.js';
import { durationSentence } from './duration.js';
import type { Table } from './table.js';
import {
  absencesTable,
  buildTable,
  latencyTable,
  overviewTable,
  qualityTable,
  targetsTable,
} from './tables.js';
import { twiceSentences } from './twice.js';

/** What a run prints at its end: the tables that most people want; the rest is in the reports. */
export function terminalReport(results: Results, width = 100): string {
  const tables = [
    overviewTable(results),
    qualityTable(results),
    latencyTable(results),
    buildTable(results),
    targetsTable(results),
    absencesTable(results),
  ];
  return [
    ...tables.filter((table) => table !== undefined).map((table) => terminalTable(table, width)),
    ...[
      ...choiceSentences(results),
      ...apartSentences(results),
      ...twiceSentences(results),
      durationSentence(results.method),
    ]
      .filter((sentence) => sentence !== undefined)
      .map((sentence) => `${sentence}\n`),
    '',
  ].join('\n');
}

/** A table in plain characters. Figures stand at the right of their columns; a long first column is cut. */
export function terminalTable({ title, columns, names, rows }: Table, width = 100): string {
  const all = [columns, ...rows];
  const widths = columns.map((_, column) => Math.max(...all.map((row) => lengthOf(row[column] ?? ''))));
  const excess = widths.reduce((sum, each) => sum + each + 2, -2) - width;
  if (excess > 0) widths[0] = Math.max(12, widths[0]! - excess);
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => {
        const room = widths[column]!;
        const text =
          column === 0 && lengthOf(cell) > room ? `${[...cell].slice(0, room - 1).join('')}…` : cell;
        const padding = ' '.repeat(Math.max(0, room - lengthOf(text)));
        return column < names ? text + padding : padding + text;
      })
      .join('  ')
      .trimEnd();
  const rule = widths.map((each) => '─'.repeat(each)).join('──');
  return `${title}\n${rule}\n${all.map(line).join(`\n`).replace('\n', `\n${rule}\n`)}\n`;
}

function lengthOf(text: string): number {
  return [...text].length;
}
