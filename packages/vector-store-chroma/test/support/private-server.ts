import { chmod, writeFile } from 'node:fs/promises';
import { ChromaServer } from '@kettle/vector-store-chroma';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { chroma } from './chroma-command.js';
import { soon } from './processes.js';
import { tempDir } from './temp-dir.js';

/**
 * Starts a private server before the tests of a file or group, and ends it after them. Where it is, and its folder, are
 * there in between.
 */
export function useServer(): { readonly url: string; readonly folder: string } {
  const own = { url: '', folder: '' };
  let folder: Awaited<ReturnType<typeof tempDir>> | undefined;
  let server: ChromaServer | undefined;
  beforeAll(async () => {
    folder = await tempDir();
    own.folder = folder.path;
    server = await ChromaServer.start({ directory: folder.path, command: chroma.command });
    own.url = await server.url(soon());
  });
  afterAll(async () => {
    await server?.close();
    await folder?.[Symbol.asyncDispose]();
  });
  return own;
}

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
