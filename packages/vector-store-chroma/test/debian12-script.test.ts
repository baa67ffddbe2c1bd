import { spawnSync } from 'node:child_process';
import { chmod, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { tempDir } from './support/temp-dir.js';

const script = fileURLToPath(new URL('../../../scripts/chroma-debian12.sh', import.meta.url));

/** Runs the script where `programs` come first on the PATH: name → body of a shell script. */
async function runWith(programs: Record<string, string>, folder: string, ...words: string[]) {
  for (const [name, body] of Object.entries(programs)) {
    await writeFile(join(folder, name), `#!/bin/sh\n${body}\n`);
    await chmod(join(folder, name), 0o755);
  }
  return spawnSync('sh', [script, ...words], {
    encoding: 'utf8',
    env: {
      ...process.env,
      PATH: `${folder}:${process.env.PATH}`,
      KETTLE_CHROMA_RUNTIME: join(folder, 'runtime'),
      KETTLE_CHROMA_CLI: script,
    },
  });
}

const debian12 = {
  getconf: 'echo glibc 2.36',
  uname: '[ "$1" = -m ] && echo x86_64 || echo Linux',
  flock: '',
};
const mirror = 'echo Packages bookworm http://mirror.invalid/debian/';

describe.skipIf(process.platform !== 'linux')('scripts/chroma-debian12.sh', () => {
  test('starts Chroma as it is where glibc is new enough, and fetches nothing', async () => {
    await using folder = await tempDir();
    const programs = { ...debian12, getconf: 'echo glibc 2.38', node: 'echo node "$@"', 'apt-get': 'exit 9' };
    const { stdout, status } = await runWith(programs, folder.path, 'run', '--path', 'a folder');
    expect(stdout).toBe(`node ${script} run --path a folder\n`);
    expect(status).toBe(0);
  });

  test('leaves nothing half done behind when apt fails, and says so', async () => {
    await using folder = await tempDir();
    const apt = `if [ "$1" = indextargets ]; then ${mirror}; else echo 'E: no signature' >&2; exit 100; fi`;
    const { stderr, status } = await runWith({ ...debian12, 'apt-get': apt }, folder.path, 'run');
    expect(status).toBe(1);
    expect(stderr).toMatch(/E: no signature\n.*could not read.*mirror\.invalid/);
    expect(await readdir(join(folder.path, 'runtime'))).toEqual(['trixie-amd64.lock']);
  });

  test('asks apt to refuse what is not signed', async () => {
    await using folder = await tempDir();
    const apt = `if [ "$1" = indextargets ]; then ${mirror}; exit; fi
      for word; do case $word in Dir::Etc::sourcelist=*) cat "\${word#*=}";; *Unauth* | *Insecure*) echo "$word";; esac; done
      exit 100`;
    const { stderr } = await runWith({ ...debian12, 'apt-get': apt }, folder.path, 'prepare');
    expect(stderr).toContain('deb [signed-by=');
    expect(stderr).toContain('http://mirror.invalid/debian/ trixie main');
    expect(stderr).toContain('APT::Get::AllowUnauthenticated=false');
    expect(stderr).toContain('Acquire::AllowInsecureRepositories=false');
  });

  test('says what to do where apt knows no Debian 12', async () => {
    await using folder = await tempDir();
    const { stderr, status } = await runWith({ ...debian12, 'apt-get': 'exit 0' }, folder.path, 'run');
    expect(status).toBe(1);
    expect(stderr).toMatch(/names no mirror of Debian 12.*CHROMA_URL/);
  });

  test('explains itself', async () => {
    await using folder = await tempDir();
    const { stdout, status } = await runWith({}, folder.path);
    expect(status).toBe(0);
    expect(stdout).toContain('CHROMA_COMMAND=');
    expect(stdout).not.toContain('set -eu');
  });
});
