import type { Results } from '../results/results.js';
import { select } from '../results/select.js';
import { quantile } from '../statistics/quantile.js';
import { durationSentence } from './duration.js';
import { formatCount, formatValue } from './format.js';

/** Name and value of everything that another run would have to repeat. */
export function methodRows({ method, corpus, measurements }: Results): [string, string][] {
  const { machine, git } = method;
  const duration = durationSentence(method);
  const calibration = select(measurements, 'calibration').flatMap(({ runs }) => runs.flat());
  return [
    [
      'Corpus',
      `${corpus.name}: ${formatCount(corpus.documents)} documents, ${formatCount(corpus.passages)} passages`,
    ],
    ['Questions', `${corpus.answerable.length} with an answer, ${corpus.unanswerable.length} without`],
    ['Model', `${corpus.model}, ${corpus.dimensions} dimensions`],
    ['Date', method.date],
    ['Commit', `${git.commit}${git.dirty ? ', with changes that are not committed' : ''}`],
    [
      'Command',
      `${method.command} (${method.plan} plan, seed ${method.seed}, ${formatValue(method.seconds * 1000, 'ms')})`,
    ],
    ...(duration === undefined ? [] : [['Duration', duration] as [string, string]]),
    [
      'Machine',
      `${machine.cpu}, ${machine.cores} cores, ${formatValue(machine.memoryBytes, 'bytes')} memory`,
    ],
    ['System', `${machine.system}, Node ${machine.node}`],
    [
      'Packages',
      Object.entries(method.packages)
        .map(([name, version]) => `${name} ${version}`)
        .join(', '),
    ],
    ...(calibration.length > 0
      ? [
          [
            'Pace of the machine',
            `a fixed amount of arithmetic (timed over a part of it) took ${formatValue(quantile(calibration, 0.5), 'ms')}, from ${formatValue(Math.min(...calibration), 'ms')} to ${formatValue(Math.max(...calibration), 'ms')} in the course of the run`,
          ] as [string, string],
        ]
      : []),
  ];
}

/** How the figures came about, for all runs alike. */
export function methodNotes({ method }: Results): string[] {
  return [
    `On the corpus, backends and search modes take turns in rounds of fresh processes, in random order, so that a slow minute of the machine falls on all alike. Stores are filled${sideBySide(method)} and asked, and baselines asked, one after the other, so a slow minute may fall on one of them. Except for baselines, questions that are not counted come before a clock starts; after that every sample counts, and all of them are in results.json.`,
    'Medians and percentiles come from raw samples. Intervals are 95 % intervals. Those of times and sizes speak about other processes like the ones measured (Student’s t on the logarithms of the processes’ values, round by round where things took turns); with one process there is none. Those of qualities speak about other questions (bootstrap). Two backends count as different only when the interval of their ratio lies wholly beyond ±5 %, for each pair.',
    'Larger corpora are grown from the vectors of the real one, by a method that README.md describes; how hard they are to search is measured beside real vectors.',
  ];
}

/** Only of runs whose plan says it: a store that has no server keeps one core busy while it is filled. */
function sideBySide({ counts }: Results['method']): string {
  const atOnce = counts?.fillsAtOnce;
  if (typeof atOnce !== 'number' || atOnce < 2) return '';
  return ` (those without a server ${atOnce} side by side, where there are as many cores)`;
}
