import { createHash } from 'node:crypto';
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
  /** Is told what is odd about the judgments, in a sentence. */
  readonly warn?: (message: string) => void;
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
    const { written, isPart } = await writeBeirDocuments(beir, documents, choice.plan.documents);
    const judgments = await withFileNames(choice, directory, {
      fileOf: (id) => (written.has(id) ? beirFileName(id) : undefined),
      isPart,
      unmentioned: 'left out',
    });
    return { ...common, documents, corpusName: basename(choice.corpus), ...judgments };
  }
  const corpus = await readCorpus(choice.corpus);
  const names = await documentNames(corpus.directory);
  if (names.length <= choice.plan.documents) {
    const judgments = await withFileNames(choice, directory, { fileOf: fileFinder(names), isPart: false });
    return { ...common, documents: choice.corpus, corpusName: corpus.name, ...judgments };
  }
  const kept = names.slice(0, choice.plan.documents);
  const documents = join(directory, 'documents');
  await mkdir(documents);
  for (const name of kept) await cp(join(corpus.directory, name), join(documents, name));
  const judgments = await withFileNames(choice, directory, { fileOf: fileFinder(kept), isPart: true });
  return { ...common, documents, corpusName: `${corpus.name} (${kept.length} documents)`, ...judgments };
}

interface Naming {
  /** The file of a document that judgments name. */
  readonly fileOf: (document: string) => string | undefined;
  /** Whether the plan left documents out. */
  readonly isPart: boolean;
  readonly unmentioned?: Parameters<typeof readJudgments>[2];
}

/** Judgments may name documents with or without the ending of their files, where only one file can be meant. */
function fileFinder(names: readonly string[]): Naming['fileOf'] {
  const known = new Set(names);
  const byStem = new Map<string, string[]>();
  for (const name of names) {
    const stem = name.replace(/\.[^./]+$/, '');
    byStem.set(stem, [...(byStem.get(stem) ?? []), name]);
  }
  return (id) => {
    if (known.has(id)) return id;
    const meant = byStem.get(id) ?? [];
    return meant.length === 1 ? meant[0] : undefined;
  };
}

/**
 * Rewrites the judgments so that they name files. What the plan left out is no part of this corpus, and questions all
 * of whose documents are gone go too; those without an answer stay. Of a whole corpus nothing goes: a relevant document
 * that is not there can't be found, and counts so, as trec_eval has it. Rejects where no judged document is there.
 */
async function withFileNames(
  { corpus, queries: queriesFile, qrels: qrelsFile, warn }: CorpusChoice,
  directory: string,
  { fileOf, isPart, unmentioned }: Naming,
): Promise<Pick<Workspace, 'queriesFile' | 'qrelsFile'>> {
  if (qrelsFile === undefined) return { queriesFile };
  const { queries, answerable, unanswerable } = await readJudgments(queriesFile, qrelsFile, unmentioned);
  const rows: string[] = [];
  const kept = new Set<string>(unanswerable);
  const [judged, missing] = [new Set<string>(), new Set<string>()];
  for (const [query, grades] of answerable) {
    for (const [document, grade] of grades) {
      const file = fileOf(document);
      judged.add(document);
      if (file === undefined) missing.add(document);
      if (file === undefined && isPart) continue;
      rows.push(`${query}\t${file ?? document}\t${grade}`);
      if (grade > 0) kept.add(query);
    }
  }
  const examples = [...missing].slice(0, 3).join(', ');
  if (missing.size === judged.size)
    throw new JudgmentsError(
      `${qrelsFile} judges no document of ${corpus}: ${examples} … are not there. Name documents by their paths below that folder, with or without the ending, or by the _id of corpus.jsonl.`,
    );
  if (missing.size > 0 && !isPart)
    warn?.(
      `${missing.size} of ${judged.size} judged documents are not in ${corpus}, or more than one file has the name; they count as not found: ${examples}`,
    );
  const files = { queriesFile: join(directory, 'queries.jsonl'), qrelsFile: join(directory, 'qrels.tsv') };
  const lines = queries
    .filter(({ id }) => kept.has(id))
    .map(({ id, text }) => JSON.stringify({ _id: id, text }));
  await writeFile(files.queriesFile, `${lines.join('\n')}\n`);
  await writeFile(files.qrelsFile, `query-id\tcorpus-id\tscore\n${rows.join('\n')}\n`);
  return files;
}

/** Writes the first `most` documents as files and gives their ids. */
async function writeBeirDocuments(
  file: string,
  directory: string,
  most: number,
): Promise<{ written: Set<string>; isPart: boolean }> {
  await mkdir(directory);
  const written = new Set<string>();
  for (const [index, line] of (await readFile(file, 'utf8')).split(/\r?\n/).entries()) {
    if (line.trim() === '') continue;
    if (written.size >= most) return { written, isPart: true };
    const where = `${file}:${index + 1}`;
    const { id, text } = parseBeirDocument(line, where);
    if (written.has(id)) throw new JudgmentsError(`${where} uses the _id ${id} a second time`);
    written.add(id);
    await writeFile(join(directory, beirFileName(id)), text);
  }
  if (written.size === 0) throw new JudgmentsError(`${file} holds no documents`);
  return { written, isPart: false };
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

/** Longest name of a file without its ending; file systems take 255 bytes. */
const longestStem = 200;

/** Ids may hold characters that no file name can, begin as hidden files do, or be too long for a name. */
function beirFileName(id: string): string {
  const stem = id.replaceAll(/^\.|[^\w.-]/g, (character) => `%${character.codePointAt(0)!.toString(16)}`);
  if (stem.length <= longestStem) return `${stem}.txt`;
  const hash = createHash('sha256').update(id).digest('hex').slice(0, 32);
  return `${stem.slice(0, longestStem - hash.length)}${hash}.txt`;
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
