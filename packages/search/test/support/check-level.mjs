import { join } from 'node:path';
import Database from 'better-sqlite3';

/** Throws where a store that should be level does not hold exactly the ids that the catalog holds. */
export async function checkLevel(index, store) {
  const stored = [];
  for await (const page of store.ids()) stored.push(...page);
  const db = new Database(join(index.status().directory, 'catalog.sqlite'), { readonly: true });
  const wanted = db.prepare('SELECT hash FROM contents WHERE uses > 0 ORDER BY hash').pluck().all();
  db.close();
  if (JSON.stringify(stored.sort()) === JSON.stringify(wanted)) return;
  throw new Error(`The store holds ${stored.length} ids, the catalog ${wanted.length}, or they are others.`);
}
