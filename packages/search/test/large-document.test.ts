import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { SearchIndex } from '@kettle/search';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeEmbedder } from './support/fake-embedder.mjs';
import { contentsOf, Workspace } from './support/workspace.js';

const child = fileURLToPath(new URL('./support/large-child.mjs', import.meta.url));
const passages = 2000;
const queries = ['edition', 'number 7'];

let workspace: Workspace;
const children = new Set<ChildProcess>();
beforeEach(async () => {
  workspace = await Workspace.create();
});
afterEach(async () => {
  for (const process of children) process.kill('SIGKILL');
  children.clear();
  await workspace.remove();
});

/** A document whose every passage names the edition. */
function edition(name: string): string {
  return Array.from(
    { length: passages },
    (_, number) => `This is edition ${name}, number ${number}. ${'The kettle sings. '.repeat(8).trim()}`,
  ).join('\n\n');
}

function start(...args: string[]): ChildProcess {
  const process = fork(child, [workspace.documents, workspace.index, ...args], { stdio: 'inherit' });
  children.add(process);
  return process;
}

/** How many passages of each edition the file holds at this moment, as any other process reads it. */
function reader(catalog: string): () => Record<string, number> {
  const db = new Database(catalog, { readonly: true });
  const count = db
    .prepare(
      "SELECT substr(text, 1, instr(text, ',') - 1) AS edition, count(*) FROM passages GROUP BY edition",
    )
    .raw();
  return () => Object.fromEntries(count.all() as [string, number][]);
}

/** Whether somebody writes right now. */
function isBusy(db: Database.Database): boolean {
  try {
    db.exec('BEGIN IMMEDIATE; ROLLBACK');
    return false;
  } catch (error) {
    expect(error).toMatchObject({ code: 'SQLITE_BUSY' });
    return true;
  }
}

function catalogOf(index: SearchIndex): string {
  return join(index.status().directory!, 'catalog.sqlite');
}

describe('while a large document is split', () => {
  it('the event loop turns, also within one paragraph', async () => {
    const embedder = new FakeEmbedder();
    const index = await workspace.openReady({ embedder });
    const count = embedder.countTokens.bind(embedder);
    let isSplitting = false;
    embedder.countTokens = (texts, options) => {
      isSplitting = true;
      return count(texts, options);
    };
    const text = ['one', 'two', 'three', 'four', 'five', 'six'].map(edition).join(' ');
    await workspace.write('large.txt', text.replaceAll('\n\n', ' '));
    // It is closed before it is done.
    index.sync().catch(() => {});
    let turns = 0;
    // Counting takes no turns with this model: what is counted comes from between.
    for (; embedder.embedded.length === 0; await turn()) if (isSplitting) turns++;
    expect(turns).toBeGreaterThan(0);
  });
});

describe('while a large document is stored', () => {
  it('the event loop turns, and whoever looks at the catalog sees all of it or nothing', async () => {
    const embedder = new FakeEmbedder();
    const index = await workspace.openReady({ embedder });
    const read = reader(catalogOf(index));
    await workspace.write('large.txt', edition('one'));
    const synced = index.sync();
    while (embedder.embedded.length < passages) await turn();
    const db = new Database(catalogOf(index), { timeout: 0 });
    const saved = db.prepare('SELECT count(*) FROM embeddings').pluck();
    // From then on only the document itself is left to be written.
    while ((saved.get() as number) < passages) await turn();
    const seen = new Set<number>();
    let turns = 0;
    for (; !seen.has(passages); await turn()) {
      if (isBusy(db)) turns++;
      seen.add(read()['This is edition one'] ?? 0);
    }
    db.close();
    expect([...seen]).toEqual([0, passages]);
    expect(turns).toBeGreaterThan(0);
    await synced;
  });

  it('another process finds the old edition or the new one, never both or a part', async () => {
    await workspace.write('large.txt', edition('one'));
    const index = await workspace.openReady();
    const other = start('read');
    await once(other, 'message');
    await workspace.write('large.txt', edition('two'));
    const synced = index.sync();
    const seen = new Set<string>();
    while (!seen.has('two')) {
      other.send('look');
      const [found] = (await once(other, 'message')) as [string[]];
      expect(found).toHaveLength(passages);
      const editions = new Set(found);
      expect(editions.size).toBe(1);
      seen.add([...editions][0]!);
    }
    expect([...seen]).toEqual(['one', 'two']);
    await synced;
  });

  it('a kill leaves the old edition whole, and costs no inference', async () => {
    await workspace.write('large.txt', edition('one'));
    const before = await workspace.openReady();
    const catalog = catalogOf(before);
    await before.close();
    await workspace.write('large.txt', edition('two'));
    const writer = start('write', String(passages), catalog);
    await once(writer, 'exit');
    expect(writer.signalCode).toBe('SIGKILL');
    expect(reader(catalog)()).toEqual({ 'This is edition one': passages });
    const embedder = new FakeEmbedder();
    const index = await workspace.openReady({ embedder });
    expect(embedder.embedded).toEqual([]);
    const fresh = await workspace.openReady({ directory: join(workspace.root, 'fresh') });
    expect(await contentsOf(index, queries)).toEqual(await contentsOf(fresh, queries));
  });
});

describe('killed while it embeds', () => {
  // One piece of a document is saved at a time; a few small documents are in work beside it.
  const mostRepeated = 64 + 32;

  it('the next start embeds what is left, and repeats little', async () => {
    await workspace.write('large.txt', edition('one'));
    for (let number = 0; number < 100; number++) {
      await workspace.write(`small-${number}.txt`, `Small document ${number}.`);
    }
    const total = passages + 100;
    const killAt = 1200;
    const writer = start('embed', String(killAt));
    await once(writer, 'exit');
    expect(writer.signalCode).toBe('SIGKILL');
    const embedder = new FakeEmbedder();
    const index = await workspace.openReady({ embedder });
    expect(index.status()).toMatchObject({ documents: 101, passages: total });
    expect(embedder.embedded.length).toBeLessThanOrEqual(total - killAt + mostRepeated);
    expect(embedder.embedded.length).toBeGreaterThanOrEqual(total - killAt);
  });
});
