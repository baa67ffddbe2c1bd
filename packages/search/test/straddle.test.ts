import { rm } from 'node:fs/promises';
import type { SearchIndex, SearchMode } from '@kettle/search';
import { ExactVectorStore } from '@kettle/vector-store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeEmbedder } from './support/fake-embedder.mjs';
import { Workspace } from './support/workspace.js';

const modes = ['vector', 'keyword', 'hybrid'] as const satisfies SearchMode[];
const wordModes = ['keyword', 'hybrid'] as const satisfies SearchMode[];

let workspace: Workspace;
beforeEach(async () => {
  workspace = await Workspace.create();
});
afterEach(async () => {
  await workspace.remove();
});

describe('a search that straddles a change of documents', () => {
  const walrus = `The walrus sleeps on the ice beside the pier. ${'It is there all day and all night. '.repeat(6)}`;
  const pier = `Boats leave the pier at noon and come back. ${'They do so on every day of the week. '.repeat(6)}`;
  const boats = `Nothing leaves the pier in winter at all. ${'It has to wait for the spring to come. '.repeat(6)}`;
  const query = 'walrus pier';

  function gate(): { readonly opened: Promise<void>; open(): void } {
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    return { opened, open };
  }

  /** Lets a query wait, when it is told to, after its words were looked up. */
  class Waiting extends FakeEmbedder {
    readonly asked = gate();
    readonly go = gate();
    waits = false;

    override async embedQuery(text: string): Promise<Float32Array> {
      if (this.waits) {
        this.waits = false;
        this.asked.open();
        await this.go.opened;
      }
      return super.embedQuery(text);
    }
  }

  async function putAll(): Promise<void> {
    await workspace.write('a.txt', boats);
    await workspace.write('copy.txt', walrus);
  }

  const changes = {
    'a document whose best passage stays': async () => {
      await workspace.write('walrus.txt', `${walrus}\n\n${boats}`);
      await workspace.write('copy.txt', `${walrus}\n\n${pier}`);
    },
    'a document that another takes the rows of': async (index: SearchIndex) => {
      await rm(workspace.path('walrus.txt'));
      await index.sync();
      await workspace.write('b.txt', `${boats}\n\n${pier}`);
    },
    'a document that has the words only now': async () => {
      await workspace.write('new.txt', 'Walrus pier, walrus pier.');
    },
  };

  describe.each(wordModes)('in mode %s', (mode) => {
    it.each(Object.entries(changes))('answers as after it: %s', async (_, change) => {
      await putAll();
      const embedder = new Waiting();
      const index = await workspace.openReady({ mode, embedder });
      // The last to come, so that its rows are free for others when it goes.
      await workspace.write('walrus.txt', `${walrus}\n\n${pier}`);
      await index.sync();
      expect((await index.listDocuments()).find(({ name }) => name === 'walrus.txt')?.passages).toBe(2);
      embedder.waits = true;
      const straddling = index.search(query, { topK: 20 });
      await embedder.asked.opened;
      await change(index);
      await index.sync();
      embedder.go.open();
      expect(await straddling).toEqual(await index.search(query, { topK: 20 }));
    });
  });

  it.each(modes)('in mode %s finds what a document that is asked for has become', async (mode) => {
    const embedder = new Waiting();
    await workspace.write('walrus.txt', walrus);
    const index = await workspace.openReady({ mode, embedder });
    embedder.waits = true;
    const straddling = index.search(query, { documents: ['walrus.txt'] });
    await embedder.asked.opened;
    await workspace.write('walrus.txt', pier);
    await index.sync();
    embedder.go.open();
    expect(await straddling).toMatchObject([{ document: 'walrus.txt', passage: pier.trim() }]);
  });

  it('answers at last, and rightly, where something changes at every try', async () => {
    await putAll();
    let edits = 0;
    let edit: (() => Promise<void>) | undefined;
    class Restless extends ExactVectorStore {
      override async query(...args: Parameters<ExactVectorStore['query']>) {
        await edit?.();
        return super.query(...args);
      }
    }
    const index = await workspace.openReady({
      mode: 'hybrid',
      openStore: async ({ fingerprint }) => new Restless(fingerprint),
    });
    edit = async () => {
      await workspace.write('walrus.txt', `${walrus}\n\n${pier}\n\nEdit ${++edits} of the walrus.`);
      await index.sync();
    };
    const hits = await index.search(query, { topK: 20 });
    expect(edits).toBeGreaterThan(1);
    edit = undefined;
    const after = await index.search(query, { topK: 20 });
    expect(hits).toEqual(after);
  });
});
