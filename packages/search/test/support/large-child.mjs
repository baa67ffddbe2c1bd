// A process beside a large document. `write` indexes it, and kills itself in the middle of the transaction that stores
// it. `embed` embeds one text after the other, as a model does, and kills itself at one. `read` follows, and tells what it finds each time it is asked.
import { setImmediate as turn } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { FakeEmbedder } from './fake-embedder.mjs';
import { openForTest } from './open-for-test.mjs';

const [documents, directory, task, passages, catalog] = process.argv.slice(2);
/** Whether somebody writes right now. */
function isBusy(db) {
  try {
    db.exec('BEGIN IMMEDIATE; ROLLBACK');
    return false;
  } catch (error) {
    if (error.code !== 'SQLITE_BUSY') throw error;
    return true;
  }
}

if (task === 'write') {
  const embedder = new FakeEmbedder();
  await openForTest({ documents, directory, loadEmbedder: async () => embedder });
  while (embedder.embedded.length < Number(passages)) await turn();
  const db = new Database(catalog, { timeout: 0 });
  // Once the embeddings of this edition stand beside those of the one before, only the document itself is left.
  const saved = db.prepare('SELECT count(*) FROM embeddings').pluck();
  while (saved.get() < 2 * Number(passages)) await turn();
  while (!isBusy(db)) await turn();
  process.kill(process.pid, 'SIGKILL');
} else if (task === 'embed') {
  const embedder = new FakeEmbedder();
  const embed = embedder.embedDocuments.bind(embedder);
  let before = Promise.resolve();
  embedder.embedDocuments = (texts, options) => {
    const run = before.then(async () => {
      const left = Number(passages) - embedder.embedded.length;
      if (texts.length > left) process.kill(process.pid, 'SIGKILL');
      await turn();
      return embed(texts, options);
    });
    before = run.catch(() => {});
    return run;
  };
  await openForTest({ documents, directory, loadEmbedder: async () => embedder });
} else {
  const index = await openForTest({ documents, directory, mode: 'keyword' });
  await index.ready();
  process.on('message', async () => {
    const hits = await index.search('edition', { topK: 100_000, documents: ['large.txt'] });
    process.send(hits.map((hit) => hit.passage.match(/edition (\w+)/)[1]));
  });
  process.send([]);
}
