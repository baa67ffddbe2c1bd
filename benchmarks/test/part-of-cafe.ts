import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readJudgments } from '@kettle/benchmarks';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const cafe = {
  documents: path('../../corpus/documents'),
  queries: path('../../corpus/judgments/queries.jsonl'),
  qrels: path('../../corpus/judgments/qrels/dev.tsv'),
};

/** A few of the cafe's documents, among them that with the most judgments. */
export const taken = ['faq', 'pets', 'hours_access', 'room_hire'];

/**
 * Writes part of the cafe's corpus in the layout of public data sets, with every question that it answers, or nobody.
 * Gives the arguments for `pnpm bench`.
 */
export async function writeBeir(directory: string): Promise<string[]> {
  const own = {
    corpus: directory,
    queries: join(directory, 'queries.jsonl'),
    qrels: join(directory, 'qrels.tsv'),
  };
  const documents = taken.map(async (id) => {
    const [title, ...rest] = (await readFile(join(cafe.documents, `${id}.txt`), 'utf8')).split('\n');
    return JSON.stringify({ _id: id, title, text: rest.join('\n').trim() });
  });
  await writeFile(join(directory, 'corpus.jsonl'), (await Promise.all(documents)).join('\n'));
  await cp(cafe.queries, own.queries);
  const { queries, answerable } = await readJudgments(cafe.queries, cafe.qrels);
  const qrels = queries.flatMap(({ id }) => {
    const grades = answerable.get(id);
    if (!grades) return [`${id}\t${taken[0]}\t0`];
    return [...grades].flatMap(([name, grade]) => {
      const document = name.replace('.txt', '');
      return taken.includes(document) ? [`${id}\t${document}\t${grade}`] : [];
    });
  });
  await writeFile(own.qrels, ['query-id\tcorpus-id\tscore', ...qrels].join('\n'));
  return Object.entries(own).flatMap(([name, path]) => [`--${name}`, path]);
}
