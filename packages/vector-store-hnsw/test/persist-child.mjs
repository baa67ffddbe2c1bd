// Persists again and again, each time with `size` records more: r0, r1 and so on. Says "persisting" and "persisted"
// with the number of records. Arguments: directory, generations, size, dimensions.
import { HnswVectorStore } from '@kettle/vector-store-hnsw';

const directory = process.argv[2];
const [generations, size, dimensions] = process.argv.slice(3).map(Number);
const fingerprint = { model: 'test-model', dimensions, metric: 'cosine' };
const say = (line) => process.stdout.write(`${line}\n`);

const vector = (number) =>
  Float32Array.from({ length: dimensions }, (_, place) => Math.sin((number + 1) * (place + 1) * 0.7));

const store = await HnswVectorStore.open({
  directory,
  fingerprint,
  onRebuild: (reason) => say(`rebuild ${reason}`),
});
const first = await store.count();
for (let count = first + size; count <= first + generations * size; count += size) {
  await store.upsert(
    Array.from({ length: size }, (_, index) => ({
      id: `r${count - size + index}`,
      vector: vector(count - size + index),
    })),
  );
  say(`persisting ${count}`);
  try {
    await store.persist();
    say(`persisted ${count}`);
  } catch (error) {
    say(`failed ${error.code} ${error.message}`);
    say(`answers ${(await store.query(vector(0), 1))[0].id}`);
    break;
  }
}
await store.close();
