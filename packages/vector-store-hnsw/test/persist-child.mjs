// Persists one generation after the other, of which generation n holds the records r0 … r(size × n − 1), and
// says "persisting" and "persisted" with the number. Arguments: directory, generations, size, dimensions.
import { HnswVectorStore } from '@kettle/vector-store-hnsw';

const [directory, generations, size, dimensions] = process.argv.slice(2);
const fingerprint = { model: 'test-model', dimensions: Number(dimensions), metric: 'cosine' };
const say = (line) => process.stdout.write(`${line}\n`);

const vector = (number) =>
  Float32Array.from({ length: Number(dimensions) }, (_, place) => Math.sin((number + 1) * (place + 1) * 0.7));

const store = await HnswVectorStore.open({
  directory,
  fingerprint,
  onRebuild: (reason) => say(`rebuild ${reason}`),
});
const first = (await store.count()) / Number(size) + 1;
for (let generation = first; generation < first + Number(generations); generation++) {
  await store.upsert(
    Array.from({ length: Number(size) }, (_, index) => {
      const number = (generation - 1) * Number(size) + index;
      return { id: `r${number}`, vector: vector(number) };
    }),
  );
  say(`persisting ${generation}`);
  try {
    await store.persist();
    say(`persisted ${generation}`);
  } catch (error) {
    say(`failed ${error.code} ${error.message}`);
    say(`answers ${(await store.query(vector(0), 1))[0].id}`);
    break;
  }
}
await store.close();
