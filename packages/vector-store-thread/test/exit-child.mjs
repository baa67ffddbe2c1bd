// Exits while its index thread is in the library's call. Arguments: thread, directory, call.
import { openIndex, ThreadedVectorStore } from '@kettle/vector-store-thread';

class ChildVectorStore extends ThreadedVectorStore {
  backend = 'test';

  static async open(options) {
    return new ChildVectorStore(await openIndex(new URL(thread, import.meta.url), options));
  }
}

const [thread, directory, call] = process.argv.slice(2);
const fingerprint = { model: 'm', dimensions: 3, metric: 'cosine' };
const vector = Float32Array.of(1, 0, 0);
const open = () => ChildVectorStore.open({ directory, fingerprint, deadline: 2000 });

new BroadcastChannel('library').onmessage = ({ data }) => {
  if (data === call) process.exit(0);
};
const store = await open();
await store.upsert([{ id: 'a', vector }]);
await store.query(vector, 1).catch(({ code }) => {
  process.stdout.write(`${code}\n`);
  process.exit(0);
});
await store.persist();
await store.close();
await open();
