import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, stat, symlink } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { getMcpConfigForManifest } from '@anthropic-ai/mcpb';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { smallPdf } from '../support/small-pdf.js';
import { tempFolder } from '../support/temp-folder.js';

const run = promisify(execFile);
const script = fileURLToPath(new URL('../../scripts/mcpb.mjs', import.meta.url));
const url = 'https://example.com/kettle.mcpb';

/** The official command. */
const command = fileURLToPath(new URL('../../node_modules/.bin/mcpb', import.meta.url));
const mcpb = (...args: string[]) => run(command, args);

/** Loaded into each process and thread first: whatever looks up or connects to anything fails, and is told of. */
const offline = `
  const refuse = () => {
    require('node:fs').writeSync(2, 'NETWORK\\n');
    throw new Error('this machine is offline');
  };
  require('node:net').Socket.prototype.connect = refuse;
  require('node:dns').lookup = refuse;
  globalThis.fetch = refuse;
`;

describe('the .mcpb bundle', () => {
  let base: string;
  let bundle: string;
  let unpacked: string;
  beforeAll(async () => {
    base = await tempFolder();
    bundle = join(base, 'kettle.mcpb');
    unpacked = join(base, 'unpacked');
    await run(process.execPath, [script, '--out', bundle, '--url', url]);
    await mcpb('unpack', bundle, unpacked);
  }, 300_000);

  it('is valid, fits this system, and holds nothing for another one', async () => {
    const manifestFile = join(unpacked, 'manifest.json');
    expect((await mcpb('validate', manifestFile)).stdout).toContain('passes');
    const { compatibility } = JSON.parse(await readFile(manifestFile, 'utf8'));
    expect(compatibility.platforms).toEqual([process.platform]);
    const runtimes = await readdir(join(unpacked, 'node_modules/onnxruntime-node/bin/napi-v3'));
    expect(runtimes).toEqual([process.platform]);
    // Clients unpack it for every user: a large part that nothing needs would be noticed here.
    expect((await stat(bundle)).size).toBeLessThan(40e6);
  });

  it('says nothing of the machine that built it', async () => {
    const top = await readdir(join(unpacked, 'node_modules'));
    expect(top.filter((name) => name.startsWith('.'))).toEqual([]);
  });

  it('has its hash in the entry for the registry', async () => {
    const sha256 = createHash('sha256')
      .update(await readFile(bundle))
      .digest('hex');
    const entry = JSON.parse(await readFile(join(base, 'server.json'), 'utf8'));
    expect(entry.packages[1]).toMatchObject({ identifier: url, fileSha256: sha256 });
  });

  describe('installed by someone who has only Node, offline', () => {
    let home: string;
    let before: string[];
    let stderr = '';
    let client: Client;

    beforeAll(async () => {
      home = await tempFolder();
      const documents = await tempFolder({
        'dogs.txt': 'Dogs are welcome on the terrace.\n',
        'cats.pdf': smallPdf('Cats sleep in the kitchen.'),
      });
      const preload = join(await tempFolder({ 'offline.cjs': offline }), 'offline.cjs');
      const path = join(base, 'path');
      await mkdir(path);
      await symlink(process.execPath, join(path, 'node'));
      before = await contents(unpacked);
      // What the client makes of the manifest, by the code that its authors give out for that.
      const config = await getMcpConfigForManifest({
        manifest: JSON.parse(await readFile(join(unpacked, 'manifest.json'), 'utf8')),
        extensionPath: unpacked,
        systemDirs: {},
        userConfig: { corpus_dir: documents },
        pathSeparator: sep,
      });
      const transport = new StdioClientTransport({
        command: config!.command,
        args: config!.args!,
        env: { HOME: home, PATH: path, NODE_OPTIONS: `--require=${preload}`, ...config!.env },
        cwd: home,
        stderr: 'pipe',
      });
      transport.stderr!.on('data', (text) => (stderr += text));
      client = new Client({ name: 'bundle', version: '1' });
      client.onerror = (error) => expect.unreachable(error.message);
      await client.connect(transport);
    });
    afterAll(() => client?.close());

    it('finds what is in the folder that the user chose', async () => {
      const search = async (query: string) => {
        const { structuredContent } = await client.callTool({ name: 'search', arguments: { query } });
        return (structuredContent as { results: { source: string }[] }).results[0]!.source;
      };
      expect(await search('can I bring a dog'), stderr).toBe('dogs.txt');
      expect(await search('where do the cats sleep'), stderr).toBe('cats.pdf');
    });

    it('asks no network', () => expect(stderr).not.toContain('NETWORK'));

    it("keeps its index in the user's folder and leaves the bundle as it was", async () => {
      expect((await contents(home)).filter((name) => name.includes('catalog.sqlite'))).not.toEqual([]);
      expect(await contents(unpacked)).toEqual(before);
    });
  });
});

/** Every file below a folder, with its size and the time it was written. */
async function contents(folder: string): Promise<string[]> {
  const files: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const { size, mtimeMs } = await stat(file);
    files.push(`${file} ${size} ${mtimeMs}`);
  }
  return files.sort();
}
