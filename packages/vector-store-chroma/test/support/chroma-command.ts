import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const cli = fileURLToPath(new URL('./cli.mjs', import.meta.resolve('chromadb')));
const script = fileURLToPath(new URL('../../../../scripts/chroma-debian12.sh', import.meta.url));

/** A command that starts a real Chroma server on this machine, or why there is none. */
type Found = { readonly command: readonly string[] } | { readonly reason: string };

function find(): Found {
  const given = process.env.CHROMA_COMMAND;
  if (given) return { command: given.split(' ') };
  const plain = run([process.execPath, cli]);
  if (plain.works) return { command: [process.execPath, cli] };
  const scripted = run([script]);
  if (scripted.works) return { command: [script] };
  return { reason: `no Chroma server runs here: ${plain.output}; ${scripted.output}` };
}

function run([program = '', ...words]: readonly string[]): { works: boolean; output: string } {
  const { status, stdout, stderr, error } = spawnSync(program, [...words, '--version'], {
    encoding: 'utf8',
    timeout: 120_000,
    killSignal: 'SIGKILL',
  });
  const lines = `${error?.message ?? ''}\n${stderr}`
    .split('\n')
    .filter((line) => /error|glibc|apt|fail/i.test(line));
  return { works: status === 0 && /^chroma \d/.test(stdout ?? ''), output: lines[0]?.trim() ?? '' };
}

let found: Found | undefined;

/**
 * The command that starts a real server. In CI there has to be one; elsewhere tests are skipped with the reason
 * where there is none: `test.skipIf(!chroma.available)`.
 */
export const chroma = {
  get available(): boolean {
    found ??= find();
    if ('command' in found) return true;
    if (process.env.CI) throw new Error(found.reason);
    process.stderr.write(`Tests against a Chroma server are skipped: ${found.reason}\n`);
    return false;
  },
  get command(): readonly string[] {
    found ??= find();
    if ('command' in found) return found.command;
    throw new Error(found.reason);
  },
};
