import type { Results } from '../results/results.js';
import type { Soak } from '../results/soak.js';
import { choiceSentences } from './choice.js';
import { methodNotes, methodRows } from './method-text.js';
import { sectionsOf } from './sections.js';
import type { Table } from './table.js';
import { overviewTable } from './tables.js';

/** The report as Markdown: all tables, without pictures. */
export function markdownReport(results: Results, soak?: Soak): string {
  const { corpus, method } = results;
  return [
    '# What each backend costs',
    `Measured on ${corpus.name}, ${method.date.slice(0, 10)}, commit ${method.git.commit}. The plots are in report.html, every sample in results.json.`,
    ...choiceSentences(results),
    markdownTable(overviewTable(results)),
    ...sectionsOf(results, soak).flatMap(({ title, paragraphs, tables }) => [
      `## ${title}`,
      ...paragraphs,
      ...tables.flatMap((table) => [
        ...(tables.length > 1 ? [`### ${table.title}`] : []),
        markdownTable(table),
      ]),
    ]),
    '## Method',
    ...methodNotes(results),
    methodRows(results)
      .map(([name, value]) => `- **${name}**: ${escapeCell(value)}`)
      .join('\n'),
    '',
  ].join('\n\n');
}

export function markdownTable({ columns, names, rows, note }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.map(escapeCell).join(' | ')} |`;
  const rule = columns.map((_, index) => (index < names ? '---' : '---:'));
  return [
    line(columns),
    `| ${rule.join(' | ')} |`,
    ...rows.map(line),
    ...(note ? ['', escapeCell(note)] : []),
  ].join('\n');
}

function escapeCell(text: string): string {
  return text
    .replaceAll('|', '\\|')
    .replaceAll('<', '&lt;')
    .replaceAll(/\s*\n\s*/g, ' ');
}
