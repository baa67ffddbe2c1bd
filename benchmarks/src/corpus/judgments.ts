import { readFile } from 'node:fs/promises';
import type { Grades } from '../metrics/ranking.js';

/** One line of queries.jsonl in BEIR layout. */
export interface Query {
  readonly id: string;
  readonly text: string;
}

export interface Judgments {
  readonly queries: readonly Query[];
  /** Queries with at least one relevant document, with the grades of their documents. */
  readonly answerable: ReadonlyMap<string, Grades>;
  /** Queries that were judged to have no answer in the corpus. */
  readonly unanswerable: ReadonlySet<string>;
}

/** A file of questions or judgments that can't be used. The message names the file and the line. */
export class JudgmentsError extends Error {
  override readonly name = 'JudgmentsError';
}

/**
 * Reads questions and judgments in BEIR layout: `queries.jsonl` with `_id` and `text` on each line, and a
 * tab-separated `qrels` file with a header and the columns query id, document id, grade; or TREC's, with four columns.
 *
 * A question without a relevant document in `qrels` counts as one that has no answer in the corpus. Without
 * `qrels`, questions serve for measuring speed alone.
 *
 * @param unmentioned what questions without a line in `qrels` are. Public data sets have one file of questions and
 * judge some of them in each of several `qrels`: there they are to be left out.
 * @throws {JudgmentsError}
 */
export async function readJudgments(
  queriesFile: string,
  qrelsFile?: string,
  unmentioned: 'without an answer' | 'left out' = 'without an answer',
): Promise<Judgments> {
  let queries = parseQueries(await read(queriesFile), queriesFile);
  if (qrelsFile === undefined) return { queries, answerable: new Map(), unanswerable: new Set() };
  const grades = parseQrels(await read(qrelsFile), qrelsFile);
  if (unmentioned === 'left out') queries = queries.filter(({ id }) => grades.has(id));
  const known = new Set(queries.map(({ id }) => id));
  const answerable = new Map(
    [...grades].filter(([id, ofQuery]) => known.has(id) && [...ofQuery.values()].some((grade) => grade > 0)),
  );
  if (answerable.size === 0) throw new JudgmentsError(`${qrelsFile} judges no question of ${queriesFile}`);
  return {
    queries,
    answerable,
    unanswerable: new Set([...known].filter((id) => !answerable.has(id))),
  };
}

function parseQueries(text: string, file: string): Query[] {
  const queries: Query[] = [];
  for (const [index, line] of lines(text)) {
    const where = `${file}:${index + 1}`;
    let value: { _id?: unknown; text?: unknown };
    try {
      value = JSON.parse(line);
    } catch (cause) {
      throw new JudgmentsError(`${where} is not JSON`, { cause });
    }
    if (typeof value?.text !== 'string' || value.text.trim() === '')
      throw new JudgmentsError(`${where} has no "text"`);
    if (typeof value._id !== 'string' && typeof value._id !== 'number')
      throw new JudgmentsError(`${where} has no "_id"`);
    queries.push({ id: String(value._id), text: value.text });
  }
  if (queries.length === 0) throw new JudgmentsError(`${file} holds no questions`);
  if (new Set(queries.map(({ id }) => id)).size < queries.length)
    throw new JudgmentsError(`${file} uses an _id twice`);
  return queries;
}

function parseQrels(text: string, file: string): Map<string, Map<string, number>> {
  const grades = new Map<string, Map<string, number>>();
  for (const [index, line] of lines(text)) {
    const [query, document, grade] = columnsOf(line);
    const value = Number(grade);
    if (index === 0 && /^[a-z][\w -]*$/i.test(grade ?? '')) continue; // the header
    if (!query || !document || !grade || !Number.isInteger(value))
      throw new JudgmentsError(
        `${file}:${index + 1} must be query id, document id and grade (0, 1, 2 …) with tabs between them, or a line of TREC’s qrels`,
      );
    const ofQuery = grades.get(query) ?? new Map<string, number>();
    // trec_eval: what is judged below zero is not relevant.
    const known = ofQuery.get(document);
    if (known !== undefined && known !== Math.max(0, value))
      throw new JudgmentsError(
        `${file}:${index + 1} gives ${document} another grade for ${query} than before`,
      );
    grades.set(query, ofQuery.set(document, Math.max(0, value)));
  }
  return grades;
}

/** BEIR has three columns with tabs between them, TREC four with any white space: query, iteration, document, grade. */
function columnsOf(line: string): (string | undefined)[] {
  const tabbed = line.split('\t');
  if (tabbed.length === 3) return tabbed;
  const [query, _iteration, document, grade, ...rest] = line.trim().split(/\s+/);
  return rest.length > 0 ? [] : [query, document, grade];
}

function lines(text: string): [number, string][] {
  return text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .map((line, index): [number, string] => [index, line])
    .filter(([, line]) => line.trim() !== '');
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new JudgmentsError(`${file} can't be read: ${(cause as Error).message}`, { cause });
  }
}
