import { qualityMargin } from '../compare/change.js';
import type { Results } from '../results/results.js';
import { enumerated, pairsOf } from './apart.js';
import { backendsOf, find, grownSizes, plain, searchLatency, summaryOf } from './figures.js';
import { formatCount, formatQuality } from './format.js';

/**
 * Which backend to choose, and what it costs, in a few sentences that follow from what was measured. What was not
 * measured is left out.
 */
export function choiceSentences(results: Results): string[] {
  return [qualitySentence(results), speedSentence(results), growthSentence(results)].filter(
    (text) => text !== undefined,
  );
}

/** Whether backends differ in what they find, and what search without vectors finds. */
function qualitySentence(results: Results): string | undefined {
  const scored = backendsOf(results).flatMap(({ name }) => scoreOf(results, name));
  if (scored.length === 0) return undefined;
  const values = scored.map(({ value }) => value);
  const equal = Math.max(...values) - Math.min(...values) <= qualityMargin;
  const backends = equal
    ? `All backends answer these questions equally well, to a hundredth (nDCG@10 ${scored[0]!.shown})`
    : `Backends answer these questions unequally well (nDCG@10: ${scored.map(({ name, shown }) => `${name} ${shown}`).join(', ')})`;
  const baselines = results.contenders.filter(({ kind }) => kind === 'baseline');
  const [best] = baselines.flatMap(({ name }) => scoreOf(results, name)).sort((a, b) => b.value - a.value);
  return `${backends}${best ? `; the best search without vectors, ${best.name}, gets ${best.shown}` : ''}.`;
}

function scoreOf(results: Results, backend: string) {
  const found = find(results, 'ndcg_at_10', { backend });
  if (!found) return [];
  const { value } = summaryOf(found);
  return [{ name: backend, value, shown: formatQuality(value) }];
}

/** Which backends are shown to be slower with this corpus. */
function speedSentence(results: Results): string | undefined {
  const { names, pairs } = pairsOf(results, 'search');
  if (pairs.length === 0) return undefined;
  const slower = new Set(pairs.filter(({ verdict }) => verdict === 'larger').map(({ more }) => more));
  const quick = names.filter((name) => !slower.has(name));
  const withTime = (name: string) =>
    `${plain(searchLatency(results, { name, summary: '', kind: 'backend' }))} with ${name}`;
  const all = `With the ${formatCount(results.corpus.passages)} passages here, a search over MCP stdio takes ${enumerated(names.map(withTime))} (median)`;
  if (slower.size === 0) return `${all}. This run shows none to be slower than another.`;
  const isSlower = (more: string, less: string) =>
    pairs.some((pair) => pair.verdict === 'larger' && pair.more === more && pair.less === less);
  const thanAll = [...slower].every((more) => quick.every((less) => isSlower(more, less)));
  const than = thanAll ? enumerated(quick) : 'another';
  const rest =
    quick.length < 2
      ? ''
      : `, and none of ${thanAll ? 'these' : enumerated(quick)} to be slower than another`;
  return `${all}. This run shows ${enumerated([...slower])} to be slower than ${than}${rest}.`;
}

/** How a query of the store grows with the corpus: what decides between them when there is much. */
function growthSentence(results: Results): string | undefined {
  const sizes = grownSizes(results);
  const [first, last] = [sizes[0], sizes.at(-1)];
  if (first === undefined || last === undefined || first === last) return undefined;
  const at = (backend: string, passages: number) =>
    find(results, 'query', {
      backend,
      passages,
      depth: 'vector',
      state: 'warm',
      settings: undefined,
      clients: undefined,
    });
  const grown = backendsOf(results).flatMap(({ name }) => {
    const [small, large] = [at(name, first), at(name, last)];
    return small && large ? [`from ${plain(small)} to ${plain(large)} with ${name}`] : [];
  });
  if (grown.length === 0) return undefined;
  return `From ${formatCount(first)} to ${formatCount(last)} passages, a query of the store alone goes ${enumerated(grown)} (medians of one process each: magnitudes). Memory and disk at ${formatCount(last)} are in the table.`;
}
