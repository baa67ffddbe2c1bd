// Persists a little, then more than the limit on file sizes lets through. Argument: directory.
import { UsearchVectorStore } from '@kettle/vector-store-usearch';

const directory = process.argv[2];
const fingerprint = { model: 'test-model', dimensions: 16, metric: 'cosine' };
const records = Array.from({ length: 2000 }, (_, index) => ({
  id: `r${index}`,
  vector: Float32Array.from({ length: 16 }, (_, place) => Math.sin((index + 1) * (place + 1) * 0.7)),
}));
const say = (line) => process.stdout.write(`${line}\n`);

const store = await UsearchVectorStore.open({ directory, fingerprint });
await store.upsert(records.slice(0, 10));
await store.persist();
say('persisted');
await store.upsert(records);
await store.persist().catch((error) => say(error.code));
say(`answers ${(await store.query(records[0].vector, 1))[0].id}`);
await store.close();

const again = await UsearchVectorStore.open({ directory, fingerprint, onRebuild: say });
say(`reopened with ${await again.count()}`);
await again.close();
