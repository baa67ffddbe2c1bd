import { chown, readdir } from 'node:fs/promises';
import { join } from 'node:path';

const nobody = 65_534;

/** Runs `work` as a user who may not read everything: the superuser becomes another one for the time. */
export async function withoutPrivileges(root: string, work: () => Promise<void>): Promise<void> {
  if (process.geteuid?.() !== 0) return work();
  await chown(root, nobody, nobody);
  for (const name of await readdir(root, { recursive: true })) await chown(join(root, name), nobody, nobody);
  process.seteuid!(nobody);
  try {
    await work();
  } finally {
    process.seteuid!(0);
  }
}
