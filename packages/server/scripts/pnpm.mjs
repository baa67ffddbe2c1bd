import { execFileSync } from 'node:child_process';

/** Runs pnpm, also where npx brought it and it is on no PATH. Its output goes to stderr. Throws when it fails. */
export function pnpm(args, cwd) {
  const brought = process.env.npm_execpath ?? '';
  const [command, ...first] = /pnpm\.[cm]?js$/.test(brought) ? [process.execPath, brought] : ['pnpm'];
  execFileSync(command, [...first, ...args], { cwd, stdio: ['ignore', 2, 2] });
}
