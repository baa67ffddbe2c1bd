import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

interface Packed {
  readonly manifest: { readonly name: string; readonly version: string };
  readonly file: string;
  readonly bytes: Buffer;
}

/** An npm registry of the packages that `npm pack` or `pnpm pack` left in a folder, and of nothing else. */
export async function servePackages(folder: string): Promise<{ url: string; close(): void }> {
  const packages = await Promise.all((await readdir(folder)).map((file) => read(folder, file)));
  const server = createServer((request, response) => {
    const wanted = decodeURIComponent(request.url!.slice(1));
    const archive = packages.find(({ file }) => file === wanted);
    const named = packages.find(({ manifest }) => manifest.name === wanted);
    if (archive) response.end(archive.bytes);
    else if (named) response.end(JSON.stringify(entryOf(named, url)));
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { url, close: () => server.close() };
}

async function read(folder: string, file: string): Promise<Packed> {
  const manifest = execFileSync('tar', ['-xzOf', join(folder, file), 'package/package.json']).toString();
  return { manifest: JSON.parse(manifest), file, bytes: await readFile(join(folder, file)) };
}

/** What a registry says of a package that has one version. */
function entryOf({ manifest, file, bytes }: Packed, url: string): object {
  const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
  return {
    name: manifest.name,
    'dist-tags': { latest: manifest.version },
    versions: { [manifest.version]: { ...manifest, dist: { tarball: url + file, integrity } } },
  };
}
