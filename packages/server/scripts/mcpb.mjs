// biome-ignore-all lint/suspicious/noConsole: it tells what it does
// Builds kettle.mcpb, a bundle that clients such as Claude Desktop install with one click, and tries it.
//   pnpm build && node packages/server/scripts/mcpb.mjs [--out kettle.mcpb]
//     [--url https://…/kettle.mcpb]   where it will be: also writes a server.json that offers it
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { packExtension, unpackExtension, validateManifest } from '@anthropic-ai/mcpb';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { pnpm } from './pnpm.mjs';
import { bundleManifest, registryEntry } from './registration.mjs';

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: 'kettle.mcpb' },
    url: { type: 'string' },
  },
});
const out = resolve(process.env.INIT_CWD ?? process.cwd(), values.out);
const work = mkdtempSync(join(tmpdir(), 'kettle-mcpb-'));
try {
  const folder = join(work, 'bundle');
  collect(folder);
  const manifest = join(folder, 'manifest.json');
  writeFileSync(manifest, JSON.stringify(bundleManifest(), null, 2));
  if (!validateManifest(manifest)) throw new Error('The manifest is not valid.');
  if (!(await packExtension({ extensionPath: folder, outputPath: out, silent: true })))
    throw new Error('The bundle could not be packed.');
  await tryIt(join(work, 'unpacked'));
  console.log(`${out}: ${(statSync(out).size / 1e6).toFixed(1)} MB`);
  if (values.url) writeEntry();
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** The server with what it needs at run time, in a folder without links: zip files have none. */
function collect(folder) {
  pnpm(
    ['--filter', '@kettle/server', 'deploy', '--prod', '--legacy', '--config.node-linker=hoisted', folder],
    fileURLToPath(new URL('../../..', import.meta.url)),
  );
  // Binaries for other systems, and what compilers left behind.
  const modules = join(folder, 'node_modules');
  const runtimes = join(modules, 'onnxruntime-node', 'bin', 'napi-v3');
  for (const platform of readdirSync(runtimes))
    if (platform !== process.platform) rmSync(join(runtimes, platform), { recursive: true });
  for (const name of ['better-sqlite3', 'hnswlib-node'])
    for (const left of ['deps', 'build/Release/obj', 'build/Release/obj.target', 'build/Release/sqlite3.a'])
      rmSync(join(modules, name, left), { recursive: true, force: true });
}

/** Installs the bundle as a client would, and asks it something. */
async function tryIt(folder) {
  if (!(await unpackExtension({ mcpbPath: out, outputDir: folder, silent: true })))
    throw new Error('The bundle could not be unpacked.');
  const documents = mkdtempSync(join(work, 'documents-'));
  writeFileSync(join(documents, 'dogs.txt'), 'Dogs are welcome on the terrace.\n');
  writeFileSync(join(documents, 'cats.pdf'), pdfThatSays('Cats sleep in the kitchen.'));
  const { server } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
  const { command, args, env } = server.mcp_config;
  const fill = (text) =>
    text.replaceAll(
      /\$\{(.*?)\}/g,
      (_, name) => ({ __dirname: folder, 'user_config.corpus_dir': documents })[name],
    );
  const client = new Client({ name: 'mcpb-check', version: '0.0.0' });
  await client.connect(
    new StdioClientTransport({
      command,
      args: args.map(fill),
      env: { INDEX_DIR: join(work, 'index'), CORPUS_DIR: fill(env.CORPUS_DIR), LOG_LEVEL: 'warn' },
    }),
  );
  try {
    const answer = await client.callTool({ name: 'search', arguments: { query: 'can I bring a dog' } });
    if (answer.structuredContent?.results?.[0]?.source !== 'dogs.txt')
      throw new Error(`The bundle's server answers ${JSON.stringify(answer)}`);
    const document = await client.callTool({ name: 'get_document', arguments: { name: 'cats.pdf' } });
    if (document.structuredContent?.text !== 'Cats sleep in the kitchen.')
      throw new Error(`The bundle's server reads ${JSON.stringify(document)}`);
  } finally {
    await client.close();
  }
}

/** Without the table of its objects: readers find them nevertheless. */
function pdfThatSays(line) {
  const content = `BT /F1 12 Tf 50 700 Td (${line}) Tj ET`;
  return `%PDF-1.4
1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj
2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj
3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>> endobj
4 0 obj <</Length ${content.length}>> stream
${content}
endstream endobj
5 0 obj <</Type/Font/Subtype/Type1/BaseFont/Helvetica>> endobj
trailer <</Root 1 0 R>>
`;
}

function writeEntry() {
  const sha256 = createHash('sha256').update(readFileSync(out)).digest('hex');
  const file = join(dirname(out), 'server.json');
  writeFileSync(file, `${JSON.stringify(registryEntry({ url: values.url, sha256 }), null, 2)}\n`);
  console.log(file);
}
