import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultPlan, makeWorkspace, readJudgments } from '@kettle/benchmarks';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

let root: string;
let directory: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'kettle-workspace-'));
  directory = join(root, 'work');
  await mkdir(directory);
});
afterEach(() => rm(root, { recursive: true, force: true }));

/** Writes files under the root, folders included, and gives the path of the root's `corpus`. */
async function write(files: Readonly<Record<string, string>>): Promise<string> {
  for (const [name, text] of Object.entries(files)) {
    const file = join(root, name);
    await mkdir(join(file, '..'), { recursive: true });
    await writeFile(file, text);
  }
  return join(root, 'corpus');
}

const queries = ['dogs', 'cats', 'nothing']
  .map((text, index) => JSON.stringify({ _id: `q${index + 1}`, text }))
  .join('\n');
const header = 'query-id\tcorpus-id\tscore\n';

function choose(corpus: string, documents = Number.POSITIVE_INFINITY) {
  return {
    corpus,
    queries: join(root, 'queries.jsonl'),
    qrels: join(root, 'qrels.tsv'),
    seed: 1,
    plan: { ...defaultPlan, documents },
  };
}

async function judged(workspace: Awaited<ReturnType<typeof makeWorkspace>>) {
  const { answerable, unanswerable } = await readJudgments(workspace.queriesFile, workspace.qrelsFile);
  return {
    answerable: Object.fromEntries([...answerable].map(([id, grades]) => [id, Object.fromEntries(grades)])),
    unanswerable: [...unanswerable],
  };
}

describe('the corpus of a run', () => {
  test('a folder is taken as it is; judgments may leave out the ending', async () => {
    const corpus = await write({
      'corpus/dogs.txt': 'Dogs.',
      'corpus/more/cats.txt': 'Cats.',
      'queries.jsonl': queries,
      'qrels.tsv': `${header}q1\tdogs\t2\nq2\tmore/cats.txt\t1\n`,
    });
    const workspace = await makeWorkspace(directory, choose(corpus));
    expect(workspace.documents).toBe(corpus);
    expect(await judged(workspace)).toEqual({
      answerable: { q1: { 'dogs.txt': 2 }, q2: { 'more/cats.txt': 1 } },
      unanswerable: ['q3'],
    });
  });

  test('a BEIR folder becomes files, whatever its ids hold', async () => {
    const corpus = await write({
      'corpus/corpus.jsonl':
        '{"_id":"a/b c","title":"Dogs","text":"They bark."}\n{"_id":"2","text":"Cats."}\n',
      'queries.jsonl': queries,
      'qrels.tsv': `${header}q1\ta/b c\t1\n`,
    });
    const workspace = await makeWorkspace(directory, choose(corpus));
    const names = (await readdir(workspace.documents)).sort();
    expect(names).toEqual(['2.txt', 'a%2fb%20c.txt']);
    expect(await readFile(join(workspace.documents, names[1]!), 'utf8')).toBe('Dogs\n\nThey bark.');
    expect((await judged(workspace)).answerable).toEqual({ q1: { 'a%2fb%20c.txt': 1 } });
  });

  test('a BEIR folder judges the questions that its judgments mention, and no others', async () => {
    const corpus = await write({
      'corpus/corpus.jsonl': '{"_id":"1","text":"Dogs."}\n{"_id":"2","text":"Cats."}\n',
      'queries.jsonl': queries,
      'qrels.tsv': `${header}q1\t1\t1\nq3\t2\t0\n`,
    });
    const workspace = await makeWorkspace(directory, choose(corpus));
    expect(workspace.corpusName).toBe('corpus');
    expect(await judged(workspace)).toEqual({ answerable: { q1: { '1.txt': 1 } }, unanswerable: ['q3'] });
  });

  test('a plan for fewer documents takes a part of a BEIR folder too', async () => {
    const corpus = await write({
      'corpus/corpus.jsonl': '{"_id":"1","text":"Dogs."}\n{"_id":"2","text":"Cats."}\n',
      'queries.jsonl': queries,
      'qrels.tsv': `${header}q1\t1\t1\nq2\t2\t1\n`,
    });
    const workspace = await makeWorkspace(directory, choose(corpus, 1));
    expect(await readdir(workspace.documents)).toEqual(['1.txt']);
    expect(await judged(workspace)).toEqual({ answerable: { q1: { '1.txt': 1 } }, unanswerable: [] });
  });

  test.each([
    ['{"_id":"1","text":"Dogs."}\n{"_id":', /corpus\.jsonl:2 is not JSON/],
    ['{"_id":"1"}', /corpus\.jsonl:1 must hold "_id" and "text"/],
    ['\n', /corpus\.jsonl holds no documents/],
  ])('a broken BEIR folder is named with file and line: %j', async (text, message) => {
    const corpus = await write({ 'corpus/corpus.jsonl': text, 'queries.jsonl': queries });
    const { qrels: _, ...choice } = choose(corpus);
    await expect(makeWorkspace(directory, choice)).rejects.toThrow(message);
  });

  test('a plan for fewer documents takes a part, and only the questions that it can answer or nobody can', async () => {
    const corpus = await write({
      'corpus/a-dogs.txt': 'Dogs.',
      'corpus/b-cats.txt': 'Cats.',
      'queries.jsonl': queries,
      'qrels.tsv': `${header}q1\ta-dogs.txt\t2\nq1\tb-cats.txt\t1\nq2\tb-cats.txt\t1\n`,
    });
    const workspace = await makeWorkspace(directory, choose(corpus, 1));
    expect(await readdir(workspace.documents)).toEqual(['a-dogs.txt']);
    expect(await judged(workspace)).toEqual({
      answerable: { q1: { 'a-dogs.txt': 2 } },
      unanswerable: ['q3'],
    });
  });

  test('judgments may leave out any ending, where one file alone is meant; what is not there counts as not found', async () => {
    const corpus = await write({
      'corpus/dogs.md': 'Dogs.',
      'corpus/cats.md': 'Cats.',
      'corpus/cats.txt': 'Cats.',
      'queries.jsonl': queries,
      'qrels.tsv': `${header}q1\tdogs\t1\nq1\tfoxes\t1\nq2\tcats\t1\n`,
    });
    const warnings: string[] = [];
    const choice = { ...choose(corpus), warn: (message: string) => void warnings.push(message) };
    expect((await judged(await makeWorkspace(directory, choice))).answerable).toEqual({
      q1: { 'dogs.md': 1, foxes: 1 },
      q2: { cats: 1 },
    });
    expect(warnings).toEqual([expect.stringMatching(/^2 of 3 judged documents are not in .*: foxes, cats$/)]);
  });

  test.each([
    ['a folder', 'corpus/dogs.md'],
    ['a BEIR folder', 'corpus/corpus.jsonl'],
  ])('judgments that fit nothing in %s are refused', async (_, file) => {
    const corpus = await write({
      [file]: '{"_id":"1","text":"Dogs."}',
      'queries.jsonl': queries,
      'qrels.tsv': `${header}q1\tno-such\t1\nq2\tnor-this\t1\n`,
    });
    await expect(makeWorkspace(directory, choose(corpus))).rejects.toThrow(
      /judges no document of .*: no-such, nor-this … are not there\. Name documents by their paths/,
    );
  });

  test('a document that a BEIR folder lacks lowers recall, and its question stays', async () => {
    const corpus = await write({
      'corpus/corpus.jsonl': '{"_id":"1","text":"Dogs."}',
      'queries.jsonl': queries,
      'qrels.tsv': `${header}q1\t1\t1\nq2\tgone\t1\n`,
    });
    expect((await judged(await makeWorkspace(directory, choose(corpus)))).answerable).toEqual({
      q1: { '1.txt': 1 },
      q2: { gone: 1 },
    });
  });

  test('every document of a BEIR folder is a file that is indexed, and no id comes twice', async () => {
    const long = 'x'.repeat(300);
    const lines = ['.hidden', long, `${long}y`].map((_id) => JSON.stringify({ _id, text: _id }));
    const corpus = await write({ 'corpus/corpus.jsonl': lines.join('\n'), 'queries.jsonl': queries });
    const { qrels: _, ...choice } = choose(corpus);
    const names = await readdir((await makeWorkspace(directory, choice)).documents);
    expect(names).toHaveLength(3);
    for (const name of names) expect(name).toMatch(/^[^.].{0,203}\.txt$/);
    await write({ 'corpus/corpus.jsonl': [...lines, lines[0]].join('\n') });
    await mkdir(join(root, 'again'));
    await expect(makeWorkspace(join(root, 'again'), choice)).rejects.toThrow(
      /corpus\.jsonl:4 uses the _id \.hidden a second time/,
    );
  });

  test('TREC’s qrels are read too; a grade below zero is none, and one file does not grade twice', async () => {
    const corpus = await write({
      'corpus/dogs.txt': 'Dogs.',
      'corpus/cats.txt': 'Cats.',
      'queries.jsonl': queries,
      'qrels.tsv': 'q1 0 dogs 2\nq1 0 cats -1\n',
    });
    expect((await judged(await makeWorkspace(directory, choose(corpus)))).answerable).toEqual({
      q1: { 'dogs.txt': 2, 'cats.txt': 0 },
    });
    await write({ 'qrels.tsv': `${header}q1\tdogs\t1\nq1\tdogs\t0\n` });
    await expect(makeWorkspace(directory, choose(corpus))).rejects.toThrow(
      /qrels\.tsv:3 gives dogs another grade for q1/,
    );
    await write({ 'qrels.tsv': 'q1\tdogs\t1x\n' });
    await expect(makeWorkspace(directory, choose(corpus))).rejects.toThrow(/qrels\.tsv:1 must be query id/);
  });

  test('without judgments the questions are taken as they are', async () => {
    const corpus = await write({ 'corpus/dogs.txt': 'Dogs.', 'queries.jsonl': queries });
    const { qrels: _, ...choice } = choose(corpus);
    const workspace = await makeWorkspace(directory, choice);
    expect(workspace.qrelsFile).toBeUndefined();
    expect(workspace.queriesFile).toBe(choice.queries);
  });
});
