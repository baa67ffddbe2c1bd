import { fileURLToPath } from 'node:url';

/** What to spawn to get a server: a command, its arguments, and the folder that relative paths start from. */
export interface ServerCommand {
  readonly command: string;
  readonly args: string[];
  readonly cwd: string;
  readonly env: Record<string, string>;
}

/**
 * How a user would start the server: `pnpm --silent --filter server start`, also when pnpm itself came through
 * npx and is on no PATH. The server gets our whole environment (the SDK would pass only a few variables on).
 */
export function serverCommand(extraEnv: Record<string, string> = {}): ServerCommand {
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  const args = ['-C', root, '--silent', '--filter', 'server', 'start'];
  const cwd = process.env.INIT_CWD ?? process.cwd();
  const env = { ...(process.env as Record<string, string>), ...extraEnv };
  const pnpm = process.env.npm_execpath ?? '';
  return /pnpm\.[cm]?js$/.test(pnpm)
    ? { command: process.execPath, args: [pnpm, ...args], cwd, env }
    : { command: 'pnpm', args, cwd, env };
}
