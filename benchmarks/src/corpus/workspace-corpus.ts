import { cp, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { readCorpus } from '@kettle/search';
import type { Plan } from '../plan.js';
import type { Workspace } from '../runs/workspace.js';
import { JudgmentsError, readJudgments } from './judgments.js';

export interface CorpusChoice {
  readonly corpus: string;
  readonly queries: string;
  readonly qrels?: string;
  readonly seed: number;
  readonly plan: Plan;
}

/**
 * Lays out what the jobs read: the corpus as it is, or a part of it in a folder of its own where the plan wants
 * fewer documents, or the files of a `corpus.jsonl` in BEIR layout.
 */
export async function makeWorkspace(directory: string, choice: CorpusChoice): Promise<Workspace> {
  const beir = join(choice.corpus, 'corpus.jsonl');
  const common = { directory, seed: choice.seed };
  if (await isFile(beir)) {
    const documents = join(directory, 'documents');
    const written = await writeBeirDocuments(beir, documents, choice.plan.documents);
    const judgments = await withFileNames(
      choice,
      directory,
      (id) => (written.has(id) ? beirFileName(id) : undefined),
      'left out',
    );
    return { ...common, documents, corpusName: basename(choice.corpus), ...judgments };
  }
  const corpus = await readCorpus(choice.corpus);
  const names = await documentNames(corpus.directory);
  if (names.length <= choice.plan.documents) {
    const known = new Set(names);
    // Judgments may name documents with or without the ending of their files.
    const judgments = await withFileNames(choice, directory, (id) => (known.has(id) ? id : `${id}.txt`));
    return { ...common, documents: choice.corpus, corpusName: corpus.name, ...judgments };
  }
  const kept = names.slice(0, choice.plan.documents);
  const documents = join(directory, 'documents');
  await mkdir(documents);
  for (const name of kept) await cp(join(corpus.directory, name), join(documents, name));
  const judgments = await withFileNames(choice, directory, (id) =>
    [id, `${id}.txt`].find((name) => kept.includes(name)),
  );
  return { ...common, documents, corpusName: `${corpus.name} (${kept.length} documents)`, ...judgments };
}

/**
 * Rewrites the judgments so that they name files. A document without a file is not in this corpus, and questions
 * all of whose documents are gone go too; those without an answer stay.
 */
async function withFileNames(
  { queries: queriesFile, qrels: qrelsFile }: CorpusChoice,
  directory: string,
  fileOf: (document: string) => string | undefined,
  unmentioned?: Parameters<typeof readJudgments>[2],
): Promise<Pick<Workspace, 'queriesFile' | 'qrelsFile'>> {
  if (qrelsFile === undefined) return { queriesFile };
  const { queries, answerable, unanswerable } = await readJudgments(queriesFile, qrelsFile, unmentioned);
  const rows: string[] = [];
  const kept = new Set<string>(unanswerable);
  for (const [query, grades] of answerable) {
    for (const [document, grade] of grades) {
      const file = fileOf(document);
      if (file === undefined) continue;
      rows.push(`${query}\t${file}\t${grade}`);
      if (grade > 0) kept.add(query);
    }
  }
  const files = { queriesFile: join(directory, 'queries.jsonl'), qrelsFile: join(directory, 'qrels.tsv') };
  const lines = queries
    .filter(({ id }) => kept.has(id))
    .map(({ id, text }) => JSON.stringify({ _id: id, text }));
  await writeFile(files.queriesFile, `${lines.join('\n')}\n`);
  await writeFile(files.qrelsFile, `query-id\tcorpus-id\tscore\n${rows.join('\n')}\n`);
  return files;
}

/** Writes the first `most` documents as files and gives their ids. */
async function writeBeirDocuments(file: string, directory: string, most: number): Promise<Set<string>> {
  await mkdir(directory);
  const written = new Set<string>();
  for (const [index, line] of (await readFile(file, 'utf8')).split(/\r?\n/).entries()) {
    if (line.trim() === '' || written.size >= most) continue;
    const { id, text } = parseBeirDocument(line, `${file}:${index + 1}`);
    written.add(id);
    await writeFile(join(directory, beirFileName(id)), text);
  }
  if (written.size === 0) throw new JudgmentsError(`${file} holds no documents`);
  return written;
}

function parseBeirDocument(line: string, where: string): { id: string; text: string } {
  let value: { _id?: unknown; title?: unknown; text?: unknown };
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw new JudgmentsError(`${where} is not JSON`, { cause });
  }
  const { _id: id, title, text } = value;
  if ((typeof id !== 'string' && typeof id !== 'number') || typeof text !== 'string')
    throw new JudgmentsError(`${where} must hold "_id" and "text"`);
  return { id: String(id), text: [title, text].filter(Boolean).join('\n\n') };
}

/** Ids may hold characters that no file name can. */
function beirFileName(id: string): string {
  return `${id.replaceAll(/[^\w.-]/g, (character) => `%${character.codePointAt(0)!.toString(16)}`)}.txt`;
}

async function documentNames(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath ?? entry.path, entry.name)
        .slice(directory.length + 1)
        .replaceAll('\\', '/'),
    )
    .sort();
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isFile(),
    () => false,
  );
}
