// Indexes one document, then many more than there is space for. On a small disk of its own, it then makes space.
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openForTest } from './open-for-test.mjs';

const [documents, directory, canMakeSpace] = process.argv.slice(2);
const ballast = join(directory, 'ballast');
if (canMakeSpace) await writeFile(ballast, Buffer.alloc(22 * 1024 * 1024));
const index = await openForTest({ documents, directory });
await index.ready();
const name = (number) => join(documents, `many-${number}.txt`);
for (let number = 0; number < 60; number++) {
  const words = Array.from({ length: 3000 }, (_, place) => `w${number * 3000 + place}`);
  await writeFile(name(number), words.join(' '));
}
const code = await index.sync().then(
  () => 'none',
  (error) => error.code,
);
const found = (await index.search('tea')).some((hit) => hit.document === 'tea.txt');
const { phase } = index.status();
let recovered;
if (canMakeSpace) {
  await rm(ballast);
  await index.sync();
  recovered = index.status().documents;
}
await index.close();
process.stdout.write(JSON.stringify({ code, found, phase, recovered }));
