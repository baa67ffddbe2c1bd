import { readCorpus } from '@kettle/search';
import { baselines } from '../baselines/baselines.js';
import { readDocuments } from '../corpus/documents.js';
import { readJudgments } from '../corpus/judgments.js';
import type { Measurement } from '../results/results.js';
import { bestHitsOf, qualityOf } from './quality.js';
import { residentMemory, timed } from './resources.js';
import { files, type Prepared, readJson, type Workspace } from './workspace.js';

export interface BaselineInput {
  readonly workspace: Workspace;
  readonly name: string;
}

/** Index, search and judge a baseline that needs no vectors. */
export async function measureBaseline({ workspace, name }: BaselineInput): Promise<Measurement[]> {
  const baseline = baselines.find((candidate) => candidate.name === name);
  if (!baseline) throw new RangeError(`there is no baseline "${name}"`);
  const prepared = await readJson<Prepared>(workspace, files.prepared);
  const corpus = await readCorpus(workspace.documents);
  const judgments = await readJudgments(workspace.queriesFile, workspace.qrelsFile);
  const reading = await timed(() => readDocuments(corpus.directory, prepared.documents));
  const storing = await timed(() => baseline.build(reading.value));
  const search = storing.value;

  const cold: number[] = [];
  const warm: number[] = [];
  const rankings = new Map<string, string[]>();
  const top = new Map<string, number>();
  for (const { id, text } of judgments.queries) {
    const { milliseconds, value } = await timed(() => search(text));
    (cold.length === 0 ? cold : warm).push(milliseconds);
    rankings.set(
      id,
      value.map(({ name }) => name),
    );
    // Nothing found is as far from an answer as can be.
    top.set(id, value[0]?.score ?? 0);
  }
  const labels = { backend: name, passages: prepared.texts.length };
  return [
    { metric: 'build_total', labels, runs: [[reading.milliseconds + storing.milliseconds]] },
    { metric: 'build_reading', labels, runs: [[reading.milliseconds]] },
    { metric: 'build_storing', labels, runs: [[storing.milliseconds]] },
    { metric: 'query', labels: { ...labels, depth: 'service', state: 'cold' }, runs: [cold] },
    { metric: 'query', labels: { ...labels, depth: 'service', state: 'warm' }, runs: [warm] },
    { metric: 'memory', labels, runs: [[await residentMemory()]] },
    ...qualityOf(judgments, rankings, labels),
    ...bestHitsOf('top_score', judgments, top, labels),
  ];
}
