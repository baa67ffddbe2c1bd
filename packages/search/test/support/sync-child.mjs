// Told to go, it synchronises for ever, until it is killed, and ends by itself where store and catalog differ. With `upsert:2` it kills itself at the second upsert.
import { checkLevel } from './check-level.mjs';
import { loadStore, openForTest } from './open-for-test.mjs';

const [documents, directory, backend, killAt, chromaUrl] = process.argv.slice(2);
const [method, times] = (killAt ?? '').split(':');
let left = Number(times);

let opened;

function around(store) {
  opened = store;
  if (!killAt) return store;
  return new Proxy(store, {
    get(target, name) {
      const value = target[name];
      if (typeof value !== 'function') return value;
      return (...args) => {
        if (name === method && --left <= 0) process.kill(process.pid, 'SIGKILL');
        return value.apply(target, args);
      };
    },
  });
}

await loadStore(backend);
process.send('loaded');
await new Promise((resolve) => process.once('message', resolve));
process.send('started');
const index = await openForTest({ documents, directory, backend, chromaUrl, delay: killAt ? 0 : 1, around });
for (;;) {
  await index.sync();
  await checkLevel(index, opened);
  process.send('level');
}
