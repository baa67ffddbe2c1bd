import type { Results } from '../results/results.js';
import type { Soak } from '../results/soak.js';
import { apartSentences } from './apart.js';
import { backendsOf, find } from './figures.js';
import { type Draw, glyph, render, swatch } from './plot.js';
import { answersPlot } from './plots/answers.js';
import { buildLegend, buildPlot } from './plots/build.js';
import { concurrencyPlot } from './plots/concurrency.js';
import { frontierPlot } from './plots/frontier.js';
import { growthPlots } from './plots/growth.js';
import { latencyPlot } from './plots/latency.js';
import { qualityPlot } from './plots/quality.js';
import { wholePlots } from './plots/whole.js';
import * as scale from './scale-tables.js';
import type { Figure, LegendEntry, Section } from './section.js';
import { soakSection } from './soak-section.js';
import type { Table } from './table.js';
import * as tables from './tables.js';
import { twiceSentences } from './twice.js';
import * as whole from './whole-tables.js';

/** The whole report in order. Sections without measurements are left out. */
export function sectionsOf(results: Results, soak?: Soak): Section[] {
  const all: Section[] = [
    section(
      'targets',
      'Targets',
      [
        'What the design asks for, mostly as ratios and counts that survive a change of machine (the ping’s milliseconds do not), and what this run gives.',
      ],
      [],
      [tables.targetsTable(results)],
    ),
    section(
      'quality',
      'Retrieval quality',
      [
        `The same questions to everything: the backends, searched as users get them (${results.method.searchMode}), the search modes through the default backend’s index, and two baselines that know no vectors. Recall is the share of the relevant documents among the first k; nDCG uses the grades as gains (linear, as trec_eval does); MRR is one over the rank of the first relevant document.`,
      ],
      [
        figure(
          results,
          qualityPlot,
          'Means with 95 % intervals over the questions. Further right is better.',
          'all',
        ),
      ],
      [tables.qualityTable(results)],
    ),
    section(
      'answers',
      'Questions without an answer',
      [
        'A search always finds something. Whether the distance of its best hit tells that there is no answer decides how well a client can say “I don’t know”.',
      ],
      [figure(results, answersPlot, 'Each dot is a question, at the distance of its best hit.', 'none')],
      [tables.answersTable(results)],
    ),
    section(
      'latency',
      'Query latency',
      [
        'One question after the other, at every depth from the bare store to a client of the MCP server. Depths take turns question by question; backends and search modes take turns in rounds of fresh processes, baselines do not.',
        ...apartSentences(results),
        ...twiceSentences(results),
      ],
      [
        figure(
          results,
          latencyPlot,
          'Latency by share of the questions; the marks are the 50th, 95th and 99th percentile. Log axis.',
          'backends',
        ),
      ],
      [tables.latencyTable(results), tables.floorTable(results)],
    ),
    section(
      'build',
      'Building the index',
      [
        'From an empty folder to an index that answers. Embedding is the same work whatever the backend.',
        ...apartSentences(results, 'storing'),
        ...apartSentences(results, 'memory'),
      ],
      [
        figure(
          results,
          buildPlot,
          'Medians. Where parts overlap, embedding counts.',
          buildLegend.map(({ name, colour }) => ({ name, glyph: swatch(colour) })),
        ),
      ],
      [tables.buildTable(results), whole.loopTable(results)],
    ),
    section(
      'whole',
      'A whole index, as it grows',
      [
        'Folders made of the corpus’s sentences, twenty passages a file, no two alike, indexed end to end with real embedding and the default backend, then used in a fresh process. The growth of the vector store alone, with every backend, follows below.',
      ],
      wholePlots.map(({ title, draw }) => figure(results, draw, title, 'none', true)),
      [whole.wholeBuildTable(results), whole.wholeSpaceTable(results), whole.wholeUseTable(results)],
    ),
    section(
      'frontier',
      'Recall against latency',
      [
        'What a backend’s settings buy: each point is one setting, the ring marks the presets, the line joins what no other setting beats. Filled marks vary a setting of queries (ef_search; ef on some marks) alone, hollow ones were filled with another setting (M, ef_construction). The axis of recall is stretched towards 1. A size with presets only is in the table alone. Recall is measured against a comparison with every vector, made apart from the stores. Settings are measured one after the other, not in turns; the smallest number of passages is the corpus itself, asked through whole indexes.',
      ],
      [
        figure(
          results,
          frontierPlot,
          'Up and to the left is better. The vector store alone, ten neighbours asked for.',
          'backends',
        ),
      ],
      [scale.frontierTable(results)],
    ),
    section(
      'growth',
      'Growth',
      [
        'The vector store alone, as the corpus grows. On log axes a straight line is a power law; the steeper, the worse it scales.',
      ],
      growthPlots.map(({ title, draw }) => figure(results, draw, title, 'backends', true)),
      [scale.growthTable(results), scale.difficultyTable(results), scale.storeDifficultyTable(results)],
    ),
    section(
      'concurrency',
      'Many clients',
      [
        'Queries per second while several clients ask at once, each the next question when the last is answered (a closed loop). Medians of a few windows of less than half a second, with the range of those windows.',
        ...apartSentences(results, 'throughput'),
      ],
      [figure(results, concurrencyPlot, 'Higher is better.', 'backends')],
      [scale.concurrencyTable(results)],
    ),
    section(
      'indexing',
      'While indexing',
      [
        'What a client notices while documents are being indexed behind its questions. Pings go out every 5 ms and queries every 20 ms whether or not earlier ones were answered, and count from when they were due, so that a server that hangs is not asked less often.',
      ],
      [],
      [scale.indexingTable(results)],
    ),
    ...(soak ? [soakSection(results, soak)] : []),
    section('absences', 'Not measured', [], [], [tables.absencesTable(results)]),
  ];
  return all.filter(({ figures, tables }) => figures.length > 0 || tables.length > 0);
}

function section(
  id: string,
  title: string,
  paragraphs: readonly string[],
  figures: readonly (Figure | undefined)[],
  all: readonly (Table | undefined)[],
): Section {
  return {
    id,
    title,
    paragraphs,
    figures: figures.filter((figure) => figure !== undefined),
    tables: all.filter((table) => table !== undefined),
  };
}

function figure(
  results: Results,
  draw: Draw,
  caption: string,
  legend: 'all' | 'backends' | 'none' | readonly LegendEntry[],
  half = false,
): Figure | undefined {
  const picture = render(results, draw, caption);
  if (!picture) return undefined;
  return { caption, picture, legend: typeof legend === 'string' ? legendOf(results, legend) : legend, half };
}

function legendOf(results: Results, which: 'all' | 'backends' | 'none'): LegendEntry[] {
  if (which === 'none') return [];
  const contenders = which === 'all' ? results.contenders : backendsOf(results);
  return contenders
    .filter(({ name }) => find(results, 'query', { backend: name }))
    .map(({ name }) => ({ name, glyph: glyph(results, name) }));
}
