export { baselines } from './baselines/baselines.js';
export { bm25 } from './baselines/bm25.js';
export { wordMatch } from './baselines/word-match.js';
export type { Change } from './compare/change.js';
export { type Comparison, compareResults, isWorse } from './compare/compare.js';
export { IncomparableError } from './compare/incomparable.js';
export { comparisonText } from './compare/text.js';
export { makePassages, writeGeneratedCorpus } from './corpus/generated.js';
export {
  medianDimension,
  medianNearest,
  nearest,
  nearestOfPrefixes,
  relativeContrasts,
  type Surroundings,
  surroundings,
  type Vectors,
  vectorAt,
  vectorCount,
} from './corpus/geometry.js';
export {
  fitNoise,
  type GrowthOptions,
  grow,
  grownLike,
  type Likeness,
  splitForFit,
} from './corpus/growth.js';
export { type Judgments, JudgmentsError, type Query, readJudgments } from './corpus/judgments.js';
export { type CorpusChoice, makeWorkspace } from './corpus/workspace-corpus.js';
export { neighbourRecall } from './metrics/neighbours.js';
export {
  documentRanking,
  type Grades,
  hitAt,
  ndcgAt,
  recallAt,
  recallCeilingAt,
  reciprocalRankAt,
} from './metrics/ranking.js';
export { type Separation, separation } from './metrics/unanswerable.js';
export { type Command, help, parseCommand, UsageError } from './options.js';
export { defaultPlan, type Plan, quickPlan, thoroughPlan, withScale } from './plan.js';
export { Progress, type ProgressOutput } from './progress.js';
export { drawn, seededRandom } from './random.js';
export { withFigures } from './readme.js';
export { type ApartQuestion, apartSentences } from './report/apart.js';
export { choiceSentences } from './report/choice.js';
export { durationSentence } from './report/duration.js';
export { htmlReport } from './report/html.js';
export { markdownReport } from './report/markdown.js';
export { terminalReport } from './report/terminal.js';
export { measuredTwice, twiceSentences } from './report/twice.js';
export { type MetricName, metrics } from './results/metric.js';
export type { Contender, Labels, Measurement, Results, Target } from './results/results.js';
export { keyOf, mergeRepetitions, select } from './results/select.js';
export { readSoak, type Soak } from './results/soak.js';
export { ResultsError, readResults, schemaProblem, writeResults } from './results/store.js';
export { difficultyOfStores } from './runs/difficulty.js';
export { watchEventLoop } from './runs/lag.js';
export { openLoop } from './runs/open-loop.js';
export { measurePhases } from './runs/phases.js';
export { Recorder } from './runs/recorder.js';
export { StdioClient } from './runs/stdio-client.js';
export {
  type BootstrapOptions,
  blockBootstrapInterval,
  bootstrapInterval,
  bootstrapPairedDifference,
  type Interval,
} from './statistics/bootstrap.js';
export { exponent } from './statistics/exponent.js';
export { processInterval, processRatio } from './statistics/processes.js';
export { mean, median, quantile } from './statistics/quantile.js';
export { interleave } from './statistics/schedule.js';
export { studentQuantile } from './statistics/student.js';
export { differenceVerdict, ratioVerdict, type Verdict } from './statistics/verdict.js';
export { countTargets, defaultBackend, defaultMode, judgeTargets, searchModeNames } from './targets.js';
