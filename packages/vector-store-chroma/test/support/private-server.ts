import { chmod, writeFile } from 'node:fs/promises';
import { ChromaServer } from '@kettle/vector-store-chroma';
import { onTestFinished } from 'vitest';
import { chroma } from './chroma-command.js';

/** A private server that is closed when the test is over. */
export async function startIn(directory: string, command = chroma.command): Promise<ChromaServer> {
  const server = await ChromaServer.start({ directory, command });
  onTestFinished(() => server.close());
  return server;
}

/** Makes a shell script that can be run, and gives its path. */
export async function executable(file: string, script: string): Promise<string> {
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
  return file;
}

/** The command of the real server, for a shell. */
export const quotedCommand = (): string => chroma.command.map((word) => `'${word}'`).join(' ');
