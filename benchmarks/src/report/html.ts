import type { Results } from '../results/results.js';
import type { Soak } from '../results/soak.js';
import { countTargets, targetsOf } from '../targets.js';
import { choiceSentences } from './choice.js';
import { escapeHtml } from './escape.js';
import { methodNotes, methodRows } from './method-text.js';
import type { Figure, Section } from './section.js';
import { sectionsOf } from './sections.js';
import { style } from './style.js';
import { blank, type Table } from './table.js';
import { overviewTable, targetsTable } from './tables.js';

/** The report as one page that needs nothing else: no script, no font, no request. */
export function htmlReport(results: Results, soak?: Soak): string {
  const { corpus, method } = results;
  const sections = sectionsOf(results, soak);
  const { met, missed, unclear } = countTargets(targetsOf(results));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>What each backend costs: Kettle, ${escapeHtml(method.date.slice(0, 10))}</title>
<style>${style}</style>
</head>
<body>
<header>
<p class="kicker">Kettle benchmark</p>
<h1>What each backend costs</h1>
<p class="lead">Semantic search over ${escapeHtml(corpus.name)}, measured on ${escapeHtml(longDate(method.date))} at commit <code>${escapeHtml(method.git.commit)}</code>${method.plan === 'quick' ? '. This was a quick run: it shows that everything works, not what it costs' : ''}.</p>
<dl class="facts">
${fact(String(corpus.documents), 'documents')}${fact(String(corpus.passages), 'passages')}${fact(String(corpus.answerable.length + corpus.unanswerable.length), 'judged questions')}${fact(`${met} of ${met + missed + unclear}`, unclear > 0 ? `targets met, ${unclear} can’t be told` : 'targets met')}
</dl>
</header>
<nav aria-label="Contents"><ol>
${sections.map(({ id, title }) => `<li><a href="#${id}">${escapeHtml(title)}</a></li>`).join('\n')}
<li><a href="#method">Method</a></li>
</ol></nav>
<main>
<section id="overview" aria-labelledby="overview-title">
<h2 id="overview-title">At a glance</h2>
${choiceSentences(results)
  .map((sentence) => `<p>${escapeHtml(sentence)}</p>`)
  .join('\n')}
${htmlTable(overviewTable(results))}
</section>
${sections.map((section) => htmlSection(section, section.id === 'targets' ? targetCards(results) : undefined)).join('\n')}
<section id="method" aria-labelledby="method-title">
<h2 id="method-title">Method</h2>
${methodNotes(results)
  .map((note) => `<p>${escapeHtml(note)}</p>`)
  .join('\n')}
<dl class="method">
${methodRows(results)
  .map(([name, value]) => `<div><dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd></div>`)
  .join('\n')}
</dl>
</section>
</main>
</body>
</html>
`;
}

function fact(value: string, name: string): string {
  return `<div><dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd></div>`;
}

/** @param instead of the tables */
function htmlSection({ id, title, paragraphs, figures, tables }: Section, instead?: string): string {
  // Where there are pictures, the figures behind them fold away; on paper they are always there.
  const shownTables = tables.map((table) =>
    figures.length > 0
      ? `<details><summary>${escapeHtml(`${table.title}, in figures`)}</summary>${htmlTable(table)}</details>`
      : htmlTable(table),
  );
  return `<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${escapeHtml(title)}</h2>
${paragraphs.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`).join('\n')}
${legend(figures)}
<div class="figures">
${figures.map(htmlFigure).join('\n')}
</div>
${instead ?? shownTables.join('\n')}
</section>`;
}

/** The targets one by one: the value, what was asked for, and whether it is met. */
function targetCards(results: Results): string {
  const cards = targetsTable(results).rows.map(([title, target, value, interval, met]) => {
    const state = { yes: ['good', 'met'], no: ['bad', 'missed'] }[met!] ?? ['muted', met];
    return `<li><p class="what">${escapeHtml(title!)}</p><p class="value">${escapeHtml(value!)}</p><p class="aim">target ${escapeHtml(target!)}${interval === blank ? '' : ` · ${escapeHtml(interval!)}`}</p><p class="badge ${state[0]}">${escapeHtml(state[1]!)}</p></li>`;
  });
  return `<ul class="targets">${cards.join('\n')}</ul><p class="note">After the dot: 95 % interval. A target is met or missed when all of the interval is.</p>`;
}

/** One legend for all figures of a section, which share their colours. */
function legend(figures: readonly Figure[]): string {
  const entries = figures[0]?.legend ?? [];
  if (entries.length === 0) return '';
  const items = entries.map(({ name, glyph }) => `<li>${glyph}${escapeHtml(name)}</li>`);
  return `<ul class="legend">${items.join('')}</ul>`;
}

function htmlFigure({ caption, picture, half }: Figure): string {
  return `<figure${half ? ' class="half"' : ''}>
<figcaption>${escapeHtml(caption)}</figcaption>
<div class="wide">${picture.wide}</div>
<div class="narrow">${picture.narrow}</div>
</figure>`;
}

export function htmlTable({ title, columns, names, rows, note }: Table): string {
  const cell = (text: string, column: number) => {
    if (column === 0) return `<th scope="row">${escapeHtml(text)}</th>`;
    const kind = column < names ? '' : ` class="figure ${tone(text, columns[column]!)}"`;
    return `<td${kind}>${escapeHtml(text)}</td>`;
  };
  return `<div class="scroll" role="region" aria-label="${escapeHtml(title)}" tabindex="0"><table>
<caption>${escapeHtml(title)}</caption>
<thead><tr>${columns.map((column, index) => `<th scope="col"${index < names ? '' : ' class="figure"'}>${escapeHtml(column)}</th>`).join('')}</tr></thead>
<tbody>
${rows.map((row) => `<tr>${row.map(cell).join('')}</tr>`).join('\n')}
</tbody></table></div>${note ? `<p class="note">${escapeHtml(note)}</p>` : ''}`;
}

function tone(text: string, column: string): string {
  if (column !== 'met') return '';
  return text === 'yes' ? 'good' : text === 'no' ? 'bad' : 'muted';
}

function longDate(iso: string): string {
  return new Date(iso).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });
}
