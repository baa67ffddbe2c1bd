import {
  judgeTargets,
  type Labels,
  type Measurement,
  type MetricName,
  type Results,
  seededRandom,
} from '@kettle/benchmarks';

const backends = ['exact', 'hnsw', 'chroma'];
const speed: Record<string, number> = { exact: 0.4, hnsw: 0.2, chroma: 3 };

/** Results with everything in them, from numbers that mean nothing: for testing what is made of results. */
export function madeUpResults(
  options: { seed?: number; slower?: Partial<Record<string, number>> } = {},
): Results {
  const random = seededRandom(options.seed ?? 1);
  const around = (value: number) => value * (0.9 + 0.2 * random() + (random() < 0.03 ? 1 : 0));
  const times = (value: number, count = 60, repetitions = 3) =>
    Array.from({ length: repetitions }, () => Array.from({ length: count }, () => around(value)));
  const measurements: Measurement[] = [];
  const add = (metric: MetricName, labels: Labels, runs: readonly (readonly number[])[]) =>
    measurements.push({ metric, labels, runs });
  const questions = Array.from({ length: 60 }, (_, index) => `q${index}`);

  for (const backend of backends) {
    const factor = options.slower?.[backend] ?? 1;
    const labels = { backend, passages: 420 };
    const depths = { vector: speed[backend]!, bare: 3, service: 3.2, 'mcp-stdio': 3.4, 'mcp-http': 4.5 };
    for (const [depth, extra] of Object.entries(depths)) {
      const value = (depth === 'vector' ? extra : extra + speed[backend]!) * factor;
      add('query', { ...labels, depth, state: 'warm' }, times(value));
      add('query', { ...labels, depth, state: 'cold' }, times(value * 4, 1));
      if (depth === 'vector' || depth === 'bare') continue;
      for (const clients of [1, 2, 4, 8, 16])
        add('throughput', { backend, depth, passages: 420, clients }, [
          [((300 * clients) / (clients + 1) / factor) * (0.95 + 0.1 * random())],
        ]);
    }
    add('build_total', labels, times(7000, 1, 2));
    add('build_reading', labels, times(120, 1, 2));
    add('build_embedding', labels, times(6400, 1, 2));
    add('build_storing', labels, times(speed[backend]! * 200, 1, 2));
    add('restart', labels, times(180, 1));
    add('restart_embedded', labels, [[0], [0], [0]]);
    add('disk', labels, [[4_000_000]]);
    add('memory', labels, [[9_000_000], [9_500_000]]);
    addQuality(add, { backend, passages: 420 }, questions.length, random, 0.06);
    add('top_distance', { ...labels, answerable: true }, [questions.map(() => 0.2 + 0.3 * random())]);
    add('top_distance', { ...labels, answerable: false }, [
      questions.slice(0, 15).map(() => 0.45 + 0.3 * random()),
    ]);
    for (const passages of [1000, 10_000, 20_000, 50_000]) {
      const slope = backend === 'exact' ? passages / 1000 : Math.log10(passages);
      const settings =
        backend === 'exact' ? [undefined] : [undefined, 'ef_search 10', 'ef_search 40', 'ef_search 200'];
      for (const [index, setting] of settings.entries()) {
        const at = { backend, passages, ...(setting ? { settings: setting } : {}) };
        add(
          'query',
          { ...at, depth: 'vector', state: 'warm' },
          times(speed[backend]! * slope * (0.5 + index / 3), 60, 1),
        );
        const recall =
          backend === 'exact' ? 1 : Math.min(1, 0.9 + 0.03 * index - passages / 2e6 + 0.05 * random());
        add('neighbour_recall', at, [questions.map(() => recall)]);
      }
      add('build_storing', { backend, passages }, [[passages * (backend === 'exact' ? 0.01 : 0.5)]]);
      if (backend !== 'exact') addFilledAnew(add, { backend, passages }, questions.length);
      add('memory', { backend, passages }, [[passages * 1800]]);
      if (backend !== 'exact') add('disk', { backend, passages }, [[passages * 1700]]);
    }
  }
  for (const [backend, loss] of [
    ['vector', 0.1],
    ['keyword', 0.25],
    ['hybrid', 0.08],
    ['bm25', 0.25],
    ['word match', 0.5],
  ] as const) {
    addQuality(add, { backend, passages: 420 }, questions.length, random, loss);
    if (backend === 'bm25')
      for (const [answerable, least] of [
        [true, 5],
        [false, 3],
      ] as const)
        add('top_score', { backend, passages: 420, answerable }, [
          questions.map((_, at) => least + at / 100),
        ]);
    if (backend === 'vector' || backend === 'hybrid') {
      const mcp = backend === 'vector' ? 2.1 : 4;
      add('query', { backend, passages: 420, depth: 'bare', state: 'warm' }, times(2, 60, 2));
      add('query', { backend, passages: 420, depth: 'mcp-stdio', state: 'warm' }, times(mcp, 60, 2));
    }
    add('query', { backend, passages: 420, depth: 'service', state: 'warm' }, times(0.3, 60, 1));
  }
  for (const [data, shift] of [
    ['real', 0],
    ['grown', 0.4],
  ] as const) {
    add('intrinsic_dimension', { data, passages: 210 }, times(14 + shift, 60, 1));
    add('relative_contrast', { data, passages: 210 }, times(1.6, 60, 1));
    add('nearest_distance', { data, passages: 210 }, times(0.3, 60, 1));
    add('weakest_recall', { backend: 'hnsw', data, passages: 210, settings: 'M 8' }, [
      questions.map(() => 0.93),
    ]);
  }
  add('ping', { backend: 'vector', passages: 420, depth: 'mcp-stdio', phase: 'alone' }, times(0.3, 60, 2));
  add('indexing_loop', { passages: 420 }, times(19_000, 1, 2));
  add('indexing_loop', { passages: 1600 }, times(60_000, 1, 1));
  addWhole(add, times);
  add('start', { phase: 'bare node' }, times(40, 1, 7));
  add('start', { backend: 'hnsw', phase: 'initialize' }, times(250, 1, 7));
  add('ping', { backend: 'hnsw', depth: 'mcp-stdio', phase: 'indexing' }, times(1.2, 200, 1));
  add('ping', { backend: 'hnsw', depth: 'mcp-stdio', phase: 'idle' }, times(0.4, 200, 1));
  add('query_indexing', { backend: 'hnsw', depth: 'service', phase: 'indexing' }, times(9, 200, 1));
  add('query_indexing', { backend: 'hnsw', depth: 'service', phase: 'idle' }, times(3, 200, 1));
  add('calibration', {}, times(30, 1, 20));
  return {
    schemaVersion: 1,
    method: {
      date: '2026-11-30T12:00:00.000Z',
      command: 'pnpm bench',
      plan: 'default',
      seed: 1,
      repetitions: 3,
      searchMode: 'hybrid',
      seconds: 280,
      steps: [
        { job: 'build', title: 'hnsw: building', seconds: 40.4 },
        { job: 'store', title: 'hnsw, 1000 passages', seconds: 59.7 },
        { job: 'build', title: 'exact: building', seconds: 30 },
        { job: 'store', title: 'exact, 1000 passages', seconds: 65.1 },
        { job: 'whole-use', title: 'using it, 400 passages', seconds: 5 },
      ],
      git: { commit: '0123456789', dirty: false },
      machine: {
        cpu: 'Imaginary CPU',
        cores: 2,
        memoryBytes: 8 * 2 ** 30,
        system: 'Somewhere',
        node: 'v20.20.2',
      },
      packages: { 'hnswlib-node': '3.0.0' },
    },
    corpus: {
      name: 'The Wandering Kettle <a cafe>',
      documents: 85,
      passages: 420,
      characters: 300_000,
      model: 'made-up',
      dimensions: 384,
      answerable: questions,
      unanswerable: questions.slice(0, 15).map((id) => `n${id}`),
      recallCeiling: { at1: 0.7, at5: 0.975 },
    },
    contenders: [
      ...backends.map((name) => ({ name, summary: name, kind: 'backend' as const })),
      { name: 'vector', summary: '', kind: 'search-mode' },
      { name: 'keyword', summary: '', kind: 'search-mode' },
      { name: 'hybrid', summary: '', kind: 'search-mode' },
      { name: 'bm25', summary: '', kind: 'baseline' },
      { name: 'word match', summary: '', kind: 'baseline' },
    ],
    measurements,
    absences: [{ labels: { backend: 'chroma', depth: 'mcp-http' }, reason: 'an <example> of a reason' }],
    targets: judgeTargets(measurements, { at1: 0.7, at5: 0.975 }),
  };
}

/** A folder indexed end to end: times that grow as n to the 0.5, and room that grows with n. */
function addWhole(
  add: (metric: MetricName, labels: Labels, runs: readonly (readonly number[])[]) => void,
  times: (value: number, count?: number, repetitions?: number) => number[][],
): void {
  for (const passages of [400, 1600, 6400]) {
    const labels = { backend: 'hnsw', passages };
    const root = Math.sqrt(passages);
    add('whole_total', labels, [[1000 * root]]);
    add('whole_reading', labels, [[20 * root]]);
    add('whole_embedding', labels, [[970 * root]]);
    add('whole_storing', labels, [[10 * root]]);
    add('whole_lag', labels, [[0.5, 1, 40]]);
    add('whole_peak_memory', labels, [[500 * 2 ** 20]]);
    add('whole_memory', labels, [[passages * 4096]]);
    add('whole_disk_catalog', labels, [[passages * 2048]]);
    add('whole_disk_words', labels, [[passages * 512]]);
    add('whole_disk_store', labels, [[passages * 1536]]);
    add('whole_restart', labels, [[100]]);
    add('whole_restart_embedded', labels, [[0]]);
    add('whole_edit', labels, times(250, 5, 1));
    for (const mode of ['vector', 'keyword', 'hybrid'])
      add('whole_query', { ...labels, mode }, times(3, 60, 1));
  }
}

function addQuality(
  add: (metric: MetricName, labels: Labels, runs: readonly (readonly number[])[]) => void,
  labels: Labels,
  count: number,
  random: () => number,
  loss: number,
): void {
  for (const metric of ['recall_at_1', 'recall_at_5', 'hit_at_5', 'ndcg_at_10', 'mrr_at_10'] as const)
    add(metric, labels, [Array.from({ length: count }, () => (random() < loss ? 0 : 1))]);
}

/** A setting of building, under a name that no backend here has: alone, and with one of queries. */
function addFilledAnew(
  add: (metric: MetricName, labels: Labels, runs: readonly (readonly number[])[]) => void,
  at: Labels,
  count: number,
): void {
  add('build_storing', { ...at, settings: 'nlist 8' }, [[100]]);
  for (const settings of ['nlist 8', 'nlist 8, ef_search 10']) {
    add('query', { ...at, settings, depth: 'vector', state: 'warm' }, [[1, 2, 3]]);
    add('neighbour_recall', { ...at, settings }, [Array.from({ length: count }, () => 0.95)]);
  }
}
