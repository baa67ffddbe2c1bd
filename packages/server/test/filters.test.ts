import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { backends } from '@kettle/server/backends';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chroma } from '../../vector-store-chroma/test/support/chroma-command.js';
import { sampleCorpus } from '../src/config/paths.js';
import { ServerProcess, type Wire } from './support/server-process.js';
import { tempFolder } from './support/temp-folder.js';

const minutes = 60_000;

interface Hit {
  readonly source: string;
  readonly distance: number;
  readonly passage: string;
}

interface Arguments {
  readonly query: string;
  readonly top_k: number;
  readonly documents?: readonly string[];
  readonly max_distance?: number;
}

/** The cafe's papers in three folders, so that there are folders to search in. */
async function papersInFolders(): Promise<Record<string, string>> {
  const folder = join(sampleCorpus!, 'documents');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.txt'));
  const placed = names.map(async (name) => {
    const place = name < 'h' ? 'front' : name < 'p' ? 'front/kitchen' : 'office';
    return [`${place}/${name}`, await readFile(join(folder, name), 'utf8')] as const;
  });
  return Object.fromEntries(await Promise.all(placed));
}

/** Every question that the cafe's judgments hold, each with one of the ways to restrict a search. */
async function searches(names: readonly string[]): Promise<Arguments[]> {
  const lines = await readFile(join(sampleCorpus!, 'judgments', 'queries.jsonl'), 'utf8');
  const questions: string[] = lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).text);
  return questions.map((query, index) => {
    const some = names.filter((_, place) => (place + index) % 7 === 0);
    const restrictions: Omit<Arguments, 'query' | 'top_k'>[] = [
      {},
      { documents: some },
      { documents: [names[index % names.length]!] },
      { documents: ['front/kitchen/'] },
      { documents: ['office/', names[0]!] },
      { max_distance: 0.55 },
      { documents: ['front/'], max_distance: 0.7 },
    ];
    return { query, top_k: 1 + (index % 20), ...restrictions[index % restrictions.length] };
  });
}

let corpus: Record<string, string>;
let asked: Arguments[];
let folders: Record<'CORPUS_DIR' | 'INDEX_DIR', string>;
/** What `exact`, which compares with every vector, answers in each mode. */
const reference = new Map<string, readonly Hit[][]>();

async function answers(backend: string, mode: string): Promise<Hit[][]> {
  const command = backend === 'chroma' ? chroma.command.map((word) => `"${word}"`).join(' ') : '';
  const server = new ServerProcess({
    ...folders,
    VECTOR_BACKEND: backend,
    SEARCH_MODE: mode,
    CHROMA_COMMAND: command,
    CHROMA_TIMEOUT_MS: '60000',
  });
  await server.initialize();
  const replies: Wire[] = [];
  // A few at once: how many a backend bears is another test's matter.
  for (let first = 0; first < asked.length; first += 8) {
    const some = asked.slice(first, first + 8);
    const answered = some.map((args) => server.ask('tools/call', { name: 'search', arguments: args }));
    replies.push(...(await Promise.all(answered)));
  }
  expect(await server.end()).toBe(0);
  return replies.map(({ result }) => {
    expect(result.isError, JSON.stringify(result.content)).toBe(false);
    return result.structuredContent.results;
  });
}

function matches(source: string, documents: readonly string[]): boolean {
  return documents.some((name) => (name.endsWith('/') ? source.startsWith(name) : source === name));
}

beforeAll(async () => {
  corpus = await papersInFolders();
  asked = await searches(Object.keys(corpus).sort());
  folders = { CORPUS_DIR: await tempFolder(corpus), INDEX_DIR: await tempFolder() };
  for (const mode of ['vector', 'hybrid']) reference.set(mode, await answers('exact', mode));
}, 5 * minutes);

afterAll(ServerProcess.killAll);

describe.each(['vector', 'hybrid'])('a restricted search, %s', (mode) => {
  it('gives what it may give, and no less', () => {
    expect(asked.length).toBeGreaterThan(200);
    for (const [index, hits] of reference.get(mode)!.entries()) {
      const { top_k, documents, max_distance = 2 } = asked[index]!;
      for (const { source, distance } of hits) {
        expect(distance).toBeLessThanOrEqual(max_distance);
        if (documents) expect(matches(source, documents), `${source} of ${documents}`).toBe(true);
      }
      // A folder holds more passages than anybody asks for.
      if (max_distance === 2 && (!documents || documents[0]!.endsWith('/'))) expect(hits).toHaveLength(top_k);
      else if (max_distance === 2) expect(hits.length).toBeGreaterThan(0);
    }
  });

  // Chroma where its server can run: in CI it has to, elsewhere the helper says why it can't.
  const others = backends.map(({ name }) => name).filter((name) => name !== 'exact');
  it.each(others.filter((name) => name !== 'chroma' || chroma.available))(
    'is the same on %s',
    async (backend) => {
      const hits = await answers(backend, mode);
      for (const [index, expected] of reference.get(mode)!.entries()) {
        const bare = (list: readonly Hit[]) => list.map(({ source, passage }) => ({ source, passage }));
        expect(bare(hits[index]!), JSON.stringify(asked[index])).toEqual(bare(expected));
        for (const [rank, { distance }] of expected.entries())
          expect(Math.abs(hits[index]![rank]!.distance - distance)).toBeLessThan(1e-4);
      }
    },
    5 * minutes,
  );
});
