import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('../../scripts/chroma-debian12.sh', import.meta.url));

/** Chroma's own binary needs this version of glibc. */
const needed = 38;

/**
 * How to start Chroma's server where its own binary can't run because the system's glibc is older than 2.38: a
 * script of this repository. Undefined where nothing of the kind is needed, or the user has said how.
 */
export function chromaCommand(env: NodeJS.ProcessEnv): string | undefined {
  if (env.CHROMA_URL || env.CHROMA_COMMAND) return undefined;
  const { header } = process.report.getReport() as unknown as { header: { glibcVersionRuntime?: string } };
  const minor = Number(header.glibcVersionRuntime?.split('.')[1] ?? needed);
  return minor < needed ? script : undefined;
}
