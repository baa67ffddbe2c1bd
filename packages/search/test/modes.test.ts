import { join } from 'node:path';
import { SearchError, type SearchHit, type SearchIndex, type SearchMode } from '@kettle/search';
import { HnswVectorStore } from '@kettle/vector-store-hnsw';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeEmbedder } from './support/fake-embedder.mjs';
import { Workspace } from './support/workspace.js';

const modes = ['vector', 'keyword', 'hybrid'] as const satisfies SearchMode[];
const wordModes = ['keyword', 'hybrid'] as const satisfies SearchMode[];

let workspace: Workspace;
beforeEach(async () => {
  workspace = await Workspace.create();
  const documents = {
    'machine.txt': 'Machine\n\nE07-3 is shown when the pump has no water. Fill the tank.',
    'parts.txt': 'Parts\n\nE07 is the bag of 3 gaskets for the pump. Order them early, 3 at a time.',
    'licence.txt': 'Licence\n\nThe premises licence HB/PL/0447 hangs beside the door.',
    'staff/leave.txt': 'Leave\n\nAnnual leave may be carried over until the end of March.',
    'staff/dogs.txt': 'Dogs\n\nDogs are welcome on the terrace if they are on a lead.',
    'dogs.txt': 'For guests\n\nYour dog is welcome on the terrace, and gets a bowl of water.',
  };
  for (const [name, text] of Object.entries(documents)) await workspace.write(name, text);
});
afterEach(async () => {
  await workspace.remove();
});

async function names(mode: SearchMode, query: string, options = {}): Promise<string[]> {
  const index = await workspace.openReady({ mode });
  const hits = await index.search(query, options);
  await index.close();
  return hits.map((hit) => hit.document);
}

describe.each(wordModes)('words in mode %s', (mode) => {
  it('finds a code as it is written above one whose parts stand apart', async () => {
    expect((await names(mode, 'E07-3'))[0]).toBe('machine.txt');
    expect((await names(mode, 'e07-3?'))[0]).toBe('machine.txt');
    expect((await names(mode, 'HB/PL/0447'))[0]).toBe('licence.txt');
    expect((await names(mode, '0447'))[0]).toBe('licence.txt');
  });

  it('forgives typing errors, other forms of a word, case and accents', async () => {
    expect((await names(mode, 'anual laeve'))[0]).toBe('staff/leave.txt');
    expect((await names(mode, 'premisses licnce'))[0]).toBe('licence.txt');
    expect((await names(mode, 'GASKÉT'))[0]).toBe('parts.txt');
    expect((await names(mode, 'carrying'))[0]).toBe('staff/leave.txt');
  });

  // The work once grew with the square of a run's length: minutes, in which nothing else was served.
  it.each(['茶', 'd', '7', 'e\u0301', '-', 'a-', '" '])('reads a run of 200 000 × %j once', async (part) => {
    const index = await workspace.openReady({ mode });
    const refusal = await index.search(part.repeat(200_000)).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'query_too_long' });
    await index.close();
  });
});

describe('mode keyword', () => {
  it('gives only what has a word of the query, and does not guess numbers, codes and short words', async () => {
    expect((await names('keyword', 'terrace')).sort()).toEqual(['dogs.txt', 'staff/dogs.txt']);
    for (const query of ['0448', 'E08', 'dgs', 'zeppelin', '?! … --', '""']) {
      expect(await names('keyword', query)).toEqual([]);
    }
  });

  it.each(['the writer', 'a follower'])('%s knows at once which words came and went', async (who) => {
    const writer = await workspace.openReady({ mode: 'keyword' });
    const index = who === 'a follower' ? await workspace.openReady({ mode: 'keyword' }) : writer;
    const found = async (query: string) => (await index.search(query)).map((hit) => hit.document);
    // Remembered from here on: there is no such word, the misspelt one means another, and this one is there.
    expect(await found('walrus')).toEqual([]);
    expect(await found('licnce')).toEqual(['licence.txt']);
    expect(await found('gaskets')).toEqual(['parts.txt']);
    await workspace.write('new.txt', 'Walrus\n\nA licnce is no licence.');
    await workspace.write('parts.txt', 'Parts\n\nNothing is left.');
    await writer.sync();
    expect(await found('walrus')).toEqual(['new.txt']);
    expect(await found('licnce')).toEqual(['new.txt']);
    expect(await found('gaskets')).toEqual([]);
  });

  it.each(['the writer', 'a follower'])(
    '%s keeps what it read of words until passages change, whatever else is written',
    async (who) => {
      const writer = await workspace.openReady({ mode: 'keyword' });
      const index = who === 'a follower' ? await workspace.openReady({ mode: 'keyword' }) : writer;
      const expected = await index.search('dogs on the terrace');
      // Without the words of the index, only what is remembered can answer.
      const db = new Database(join(writer.status().directory!, 'catalog.sqlite'));
      db.unsafeMode().exec('DELETE FROM passage_words_data');
      db.close();
      await writer.sync();
      expect(await index.search('dogs on the terrace')).toEqual(expected);
    },
  );

  it('finds what stands below 150 copies of a better passage', async () => {
    for (let copy = 0; copy < 150; copy++)
      await workspace.write(`copies/${copy}.txt`, 'Walrus walrus walrus.');
    await workspace.write(
      'once.txt',
      'The zoo once had a walrus, which is gone now, and nobody knows where to.',
    );
    const hits = await names('keyword', 'walrus', { documents: ['once.txt', 'copies/1.txt'] });
    expect(hits).toEqual(['copies/1.txt', 'once.txt']);
    expect(await names('keyword', 'walrus', { topK: 151 })).toContain('once.txt');
    expect(await names('hybrid', 'walrus', { topK: 151 })).toContain('once.txt');
  });

  it('ranks some of many documents as it ranks all, few or most of them', async () => {
    // No two are of one length, so that no two are equal.
    for (let number = 0; number < 90; number++)
      await workspace.write(`many/${number}.txt`, `Walrus${' or'.repeat(number)}.`);
    const index = await workspace.openReady({ mode: 'keyword' });
    const ranked = async (options: object) =>
      (await index.search('walrus', options)).map((hit) => hit.document);
    const all = await ranked({ topK: 90 });
    expect(all).toHaveLength(90);
    for (const count of [0, 1, 5, 30, 45, 80, 89]) {
      // The worst ones, so that others are in the way.
      const documents = all.slice(90 - count);
      expect(await ranked({ topK: 20, documents: documents.toSorted() })).toEqual(documents.slice(0, 20));
    }
  });

  it('leaves words out that thousands of passages have, when the query has rarer ones', async () => {
    const paragraphs = Array.from({ length: 10_100 }, (_, number) => `kettle ${number} `.repeat(12).trim());
    await workspace.write('many.txt', [...paragraphs, 'kettle and walrus '.repeat(12)].join('\n\n'));
    const index = await workspace.openReady({ mode: 'keyword' });
    expect(await index.search('kettle walrus', { topK: 10 })).toMatchObject([{ document: 'many.txt' }]);
    expect(await index.search('kettle', { topK: 10 })).toHaveLength(10);
  });
});

describe('mode hybrid', () => {
  it('is the order of distances where the query has no word', async () => {
    const query = '?! … --';
    expect(await names('hybrid', query, { topK: 10 })).toEqual(await names('vector', query, { topK: 10 }));
  });

  it('weighs a word by all passages that have it, however many', async () => {
    const filler = (word: string) => `${word} and so on, `.repeat(20).trim();
    const paragraphs = [
      ...Array.from({ length: 12_000 }, () => filler('kettle')),
      ...Array.from({ length: 13_000 }, () => filler('spout')),
    ];
    await workspace.write('many.txt', paragraphs.join('\n\n'));
    await workspace.write('word.txt', 'Kettle kettle kettle kettle.');
    await workspace.write('near.txt', 'Terrace lead.');
    class Embedder extends FakeEmbedder {
      override async embedQuery(): Promise<Float32Array> {
        return super.embedQuery('terrace lead, terrace lead, kettle');
      }
    }
    const index = await workspace.openReady({ mode: 'hybrid', embedder: new Embedder() });
    expect(index.status().passages).toBeGreaterThan(25_000);
    const hits = await index.search('kettle', { topK: 30 });
    const [word, near] = ['word.txt', 'near.txt'].map(
      (name) => hits.find(({ document }) => document === name)!,
    );
    // It lies further off, by less than a word adds that is half of the query's and more.
    expect(word!.distance - near!.distance).toBeGreaterThan(0.35);
    expect(word!.distance - near!.distance).toBeLessThan(0.8);
    expect(word!.rank).toBeLessThan(near!.rank);
  });

  it('counts the words of what is near, however many others have more of them', async () => {
    for (let number = 0; number < 60; number++)
      await workspace.write(`words/${number}.txt`, `Walrus kettle ${number}.`);
    for (let number = 0; number < 140; number++)
      await workspace.write(`others/${number}.txt`, `Spout ${number}.`);
    await workspace.write('near/a.txt', 'Terrace lead.');
    await workspace.write('near/b.txt', 'Terrace lead, terrace lead, kettle.');
    class Embedder extends FakeEmbedder {
      override async embedQuery(): Promise<Float32Array> {
        return super.embedQuery('terrace lead');
      }
    }
    const index = await workspace.openReady({ mode: 'hybrid', embedder: new Embedder() });
    const hits = await index.search('walrus kettle', { topK: 10 });
    const near = hits.filter((hit) => hit.document.startsWith('near/'));
    expect(near.map((hit) => hit.document)).toEqual(['near/b.txt', 'near/a.txt']);
    expect(near[0]!.distance).toBeGreaterThan(near[1]!.distance);
  });

  it('gives the same hits on the exact store and on HNSW', async () => {
    const exact = await workspace.openReady({ mode: 'hybrid', backend: 'exact' });
    const query = 'dogs on the terrace, code E07-3';
    const expected = await exact.search(query, { topK: 10 });
    await exact.close();
    const hnsw = await workspace.openReady({
      mode: 'hybrid',
      backend: 'hnsw',
      openStore: async (context) => HnswVectorStore.open(context),
    });
    expect(await hnsw.search(query, { topK: 10 })).toEqual(expected);
  });
});

describe.each(modes)('mode %s', (mode) => {
  it('gives a follower the hits that the writer has, and a query the same ones whatever was asked before', async () => {
    const queries = [
      'dogs on the terrace',
      'anual laeve',
      'E07-3',
      'the',
      'a',
      '🐕',
      '犬',
      'gaske\u0301t',
      'gask\u00e9t',
    ];
    const writer = await workspace.openReady({ mode });
    const follower = await workspace.openReady({ mode });
    const ask = async (index: SearchIndex, texts: readonly string[]) => {
      const found = new Map<string, SearchHit[]>();
      for (const text of texts) found.set(text, await index.search(text, { topK: 50 }));
      return texts.toSorted().map((text) => found.get(text));
    };
    const expected = await ask(writer, queries);
    expect(await ask(follower, queries.toReversed())).toEqual(expected);
    expect(await Promise.all(queries.toSorted().map((text) => writer.search(text, { topK: 50 })))).toEqual(
      expected,
    );
  });

  it('has the true distances, and keeps to the documents and the distance that are asked for', async () => {
    const truth = await workspace.openReady({ mode: 'vector' });
    const query = 'are dogs welcome on the terrace';
    const distances = new Map(
      (await truth.search(query, { topK: 50 })).map((hit) => [hit.document, hit.distance]),
    );
    await truth.close();
    const index = await workspace.openReady({ mode });
    const all = await index.search(query, { topK: 50 });
    for (const hit of all) expect(hit.distance).toBe(distances.get(hit.document));
    expect(all.map((hit) => hit.rank)).toEqual(all.map((_, place) => place + 1));
    expect(await index.search(query, { topK: 1 })).toEqual(all.slice(0, 1));

    const inFolder = await index.search(query, { topK: 50, documents: ['staff/', 'licence.txt'] });
    expect(inFolder.map((hit) => hit.document)).toEqual(
      all
        .map((hit) => hit.document)
        .filter((document) => document.startsWith('staff/') || document === 'licence.txt'),
    );
    expect(await index.search(query, { documents: [] })).toEqual([]);

    const maxDistance = distances.get('staff/dogs.txt')!;
    const near = await index.search(query, { topK: 50, maxDistance });
    expect(near.map((hit) => hit.document)).toEqual(
      all.filter((hit) => hit.distance <= maxDistance).map((hit) => hit.document),
    );
  });

  it('answers or refuses any string, and never fails', async () => {
    const index = await workspace.openReady({ mode });
    const syntax = fc.constantFrom(
      '"',
      "'",
      '*',
      '^',
      ':',
      '(',
      ')',
      '{',
      '}',
      '+',
      '-',
      '\\',
      '\0',
      ';',
      '%',
    );
    const words = fc.constantFrom(
      'AND',
      'OR',
      'NOT',
      'NEAR',
      'NEAR/2',
      'text:',
      'dogs',
      'E07-3',
      'rowid',
      '\ud800',
    );
    const query = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'grapheme' }),
      fc.array(fc.oneof(syntax, words), { maxLength: 20 }).map((parts) => parts.join('')),
      fc.array(fc.oneof(syntax, words), { maxLength: 20 }).map((parts) => parts.join(' ')),
      fc.constantFrom('a '.repeat(5000), 'x'.repeat(10_000), '"'.repeat(10_000), '\ud83d'.repeat(10_000)),
    );
    await fc.assert(
      fc.asyncProperty(query, async (text) => {
        try {
          for (const hit of await index.search(text)) expect(hit.distance).toBeGreaterThanOrEqual(0);
        } catch (error) {
          expect(SearchError.isInstance(error) && error.code).toMatch(/^(invalid_query|query_too_long)$/);
        }
      }),
      { numRuns: 200 },
    );
  });
});
