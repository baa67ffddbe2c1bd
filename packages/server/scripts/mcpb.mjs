// biome-ignore-all lint/suspicious/noConsole: it tells what it does
// Builds kettle.mcpb, a bundle that clients such as Claude Desktop install with one click.
//   pnpm build && node packages/server/scripts/mcpb.mjs [--out kettle.mcpb]
//     [--url https://…/kettle.mcpb]   where it will be: also writes a server.json that offers it
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { packExtension, validateManifest } from '@anthropic-ai/mcpb';
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
  const modules = join(folder, 'node_modules');
  const remove = (...path) => rmSync(join(modules, ...path), { recursive: true, force: true });
  const keepOnly = (wanted, ...path) => {
    for (const name of readdirSync(join(modules, ...path))) if (name !== wanted) remove(...path, name);
  };
  // Binaries for other systems and processors.
  const onnx = ['onnxruntime-node', 'bin', 'napi-v3'];
  keepOnly(process.platform, ...onnx);
  keepOnly(process.arch, ...onnx, process.platform);
  // The private Chroma server, the largest part: nobody can ask for it, as a bundle has no setting for the backend.
  for (const name of readdirSync(modules)) if (name.startsWith('chromadb-js-bindings-')) remove(name);
  // What compilers left behind, and what pnpm notes down about this machine.
  for (const name of ['better-sqlite3', 'hnswlib-node'])
    for (const left of ['deps', 'build/Release/obj', 'build/Release/obj.target', 'build/Release/sqlite3.a'])
      remove(name, left);
  for (const name of readdirSync(modules)) if (name.startsWith('.')) remove(name);
}

function writeEntry() {
  const sha256 = createHash('sha256').update(readFileSync(out)).digest('hex');
  const file = join(dirname(out), 'server.json');
  writeFileSync(file, `${JSON.stringify(registryEntry({ url: values.url, sha256 }), null, 2)}\n`);
  console.log(file);
}
