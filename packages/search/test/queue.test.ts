import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeEmbedder } from './support/fake-embedder.mjs';
import { Workspace } from './support/workspace.js';

let workspace: Workspace;
beforeEach(async () => {
  workspace = await Workspace.create();
});
afterEach(async () => {
  await workspace.remove();
});

/** A model that lets texts pile up before it embeds them, and remembers how many did. */
class SlowEmbedder extends FakeEmbedder {
  most = 0;
  #queued = 0;

  override async embedDocuments(...[texts, options]: Parameters<FakeEmbedder['embedDocuments']>) {
    this.#queued += texts.length;
    this.most = Math.max(this.most, this.#queued);
    await new Promise((resolve) => setTimeout(resolve, 20));
    this.#queued -= texts.length;
    return super.embedDocuments(texts, options);
  }
}

describe('the queue of texts before the model', () => {
  it('is filled from many small documents, and bounded', async () => {
    for (let number = 0; number < 200; number++)
      await workspace.write(`${number}.txt`, `Small paper number ${number}.`);
    const embedder = new SlowEmbedder();
    await workspace.openReady({ embedder });
    expect(embedder.embedded).toHaveLength(200);
    expect(embedder.most).toBeGreaterThanOrEqual(16);
    expect(embedder.most).toBeLessThanOrEqual(64);
  });

  it('takes few large documents at a time', async () => {
    for (let number = 0; number < 6; number++) {
      const words = Array.from({ length: 20_000 }, (_, place) => `word${number}x${place}`);
      await workspace.write(`${number}.txt`, words.join(' '));
    }
    const embedder = new SlowEmbedder();
    await workspace.openReady({ embedder });
    expect(embedder.embedded.length).toBeGreaterThan(1000);
    expect(embedder.most).toBeLessThanOrEqual(128);
  });
});
