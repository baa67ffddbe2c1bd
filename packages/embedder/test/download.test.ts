import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import { loadEmbedder } from '@kettle/embedder';
import { modelsDirectory } from '@kettle/model-minilm';
import { describe, expect, test } from 'vitest';
import { failure, model, network, size, source, useDownloadBed } from './download-bed.js';
import { Hub } from './hub.js';

const bed = useDownloadBed();

const whole = ['config.json', network, 'tokenizer.json', 'tokenizer_config.json'];

async function expectWholeModel(): Promise<void> {
  expect(await bed.cachedFiles()).toEqual(whole);
  const copy = await readFile(path.join(bed.cacheDir, model, network));
  const original = await readFile(path.join(source, network));
  // Not toEqual, which takes minutes over so many bytes.
  expect(copy.equals(original)).toBe(true);
}

describe('a download that goes well', () => {
  test('brings the model, tells how far it is, and is not repeated', async () => {
    const progress: string[] = [];
    let last: unknown;
    const embedder = await bed.load({
      onProgress: (update) => {
        if (progress.at(-1) !== update.file) progress.push(update.file);
        last = update;
      },
    });
    expect(embedder.dimensions).toBe(384);
    await expectWholeModel();
    expect(progress).toEqual(['config.json', 'tokenizer.json', 'tokenizer_config.json', network]);
    expect(last).toEqual({ file: network, loaded: size, total: size });

    const requests = bed.hub.requests.length;
    await (await bed.load()).close();
    await (await bed.load({ allowDownload: false })).close();
    expect(bed.hub.requests.length).toBe(requests);
  });

  test('gives the vectors of the original, under a fingerprint of its own name', async () => {
    const original = await loadEmbedder({ modelDirs: [modelsDirectory] });
    const copy = await bed.load();
    expect(await copy.embedQuery('hello')).toEqual(await original.embedQuery('hello'));
    expect(copy.fingerprint).not.toBe(original.fingerprint);
  });

  test('takes the full-precision network where the hub has no quantised one', async () => {
    const bytes = await readFile(path.join(source, network));
    bed.hub.behaviour = (file) => {
      if (file === network) return { status: 404 };
      return file === 'onnx/model.onnx' ? { body: bytes } : {};
    };
    const embedder = await bed.load();
    expect((await embedder.embedQuery('hello')).length).toBe(384);
    expect(await bed.cachedFiles()).toContain('onnx/model.onnx');
  });

  test('follows redirects, and holds the file to the hash that the redirect announced', async () => {
    const elsewhere = new Hub(source);
    const other = await elsewhere.listen();
    try {
      bed.hub.behaviour = (file) =>
        file === network
          ? {
              redirectTo: `${other}/x/resolve/main/${network}`,
              headers: { 'x-linked-etag': `"${'0'.repeat(64)}"`, 'x-linked-size': String(size) },
            }
          : {};
      const error = await failure(bed.load());
      expect(error.code).toBe('model_invalid');
      expect(error.message).toContain('sha256');
      bed.hub.behaviour = (file) =>
        file === network ? { redirectTo: `${other}/x/resolve/main/${network}` } : {};
      await (await bed.load()).close();
      await expectWholeModel();
    } finally {
      await elsewhere.close();
    }
  });

  test('may be made twice at once', async () => {
    const embedders = await Promise.all([bed.load(), bed.load()]);
    expect(embedders.map((embedder) => embedder.dimensions)).toEqual([384, 384]);
    await expectWholeModel();
  });
});

describe('a download that breaks', () => {
  test('goes on where it stopped, within the same call', async () => {
    bed.hub.behaviour = (file, earlier) =>
      file === network && earlier === 0 ? { breakAfter: 10_000_000 } : {};
    await (await bed.load()).close();
    const [first, second] = bed.hub.of(network);
    expect(first).toMatchObject({ range: undefined, status: 200 });
    expect(second).toMatchObject({ status: 206 });
    expect(Number(/^bytes=(\d+)-$/.exec(second!.range!)![1])).toBeGreaterThan(0);
    expect(second!.ifRange).toMatch(/^"[\da-f]{64}"$/);
    await expectWholeModel();
  });

  test('goes on where it stopped, in a later call', async () => {
    bed.hub.behaviour = (file, earlier) => {
      if (file !== network) return {};
      return earlier === 0 ? { breakAfter: 10_000_000 } : { status: 503 };
    };
    const error = await failure(bed.load());
    expect(error.code).toBe('hub_unreachable');
    expect((await bed.cachedFiles()).some((file) => file.endsWith('.partial'))).toBe(true);

    bed.hub.behaviour = () => ({});
    const before = bed.hub.of(network).length;
    await (await bed.load()).close();
    expect(bed.hub.of(network).slice(before)).toMatchObject([{ status: 206 }]);
    await expectWholeModel();
  });

  test('is redone from the start when the server sends no ranges', async () => {
    bed.hub.behaviour = (file, earlier) => {
      if (file !== network) return {};
      return earlier === 0 ? { breakAfter: 10_000_000 } : { ignoreRange: true };
    };
    await (await bed.load()).close();
    expect(bed.hub.of(network)).toMatchObject([{ status: 200 }, { status: 200 }]);
    await expectWholeModel();
  });

  test('is redone from the start when the file has changed since', async () => {
    const other = (await readFile(path.join(source, network))).subarray(0, 15_000_000);
    bed.hub.behaviour = (file, earlier) => {
      if (file !== network || earlier > 1) return {};
      return earlier === 0 ? { body: other, breakAfter: 10_000_000 } : {};
    };
    await (await bed.load()).close();
    expect(bed.hub.of(network)).toMatchObject([{ status: 200 }, { status: 200 }]);
    await expectWholeModel();
  });

  test('is given up when no byte comes any more', async () => {
    bed.hub.behaviour = (file, earlier) =>
      file === 'tokenizer.json' ? { stallAfter: earlier === 0 ? 1000 : 0 } : {};
    const error = await failure(bed.load({ stallTimeout: 100 }));
    expect(error.code).toBe('hub_unreachable');
    expect(error.message).toContain('sent nothing for 0.1 s');
  });

  test('ends at once when the caller wants no more, and keeps what is there', async () => {
    const abort = new AbortController();
    bed.hub.behaviour = (file) => (file === network ? { stallAfter: 5_000_000 } : {});
    const onProgress = ({ loaded }: { loaded: number }): void => {
      if (loaded >= 5_000_000) abort.abort(new Error('enough'));
    };
    await expect(bed.load({ onProgress, signal: abort.signal })).rejects.toThrow('enough');
    expect((await bed.cachedFiles()).filter((file) => file.endsWith('.partial'))).toHaveLength(1);
  });
});

describe('a download of a process that was killed', () => {
  /** Leaves the file in use that a killed process leaves; gives its path. */
  async function killWhileDownloading(): Promise<string> {
    bed.hub.behaviour = (file) => (file === network ? { stallAfter: 5_000_000 } : {});
    const script = `
      import { loadEmbedder } from '@kettle/embedder';
      const [model, cacheDir, endpoint] = process.argv.slice(1);
      const onProgress = ({ loaded }) => { if (loaded >= 5_000_000) process.kill(process.pid, 'SIGKILL'); };
      await loadEmbedder({ model, cacheDir, endpoint, onProgress });`;
    const args = ['--input-type=module', '-e', script, model, bed.cacheDir, bed.endpoint];
    const child = spawn(process.execPath, args, { cwd: import.meta.dirname, stdio: 'ignore' });
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
    bed.hub.behaviour = () => ({});
    const [left, ...others] = (await bed.cachedFiles()).filter((file) => file.startsWith(`${network}.`));
    expect(left).toMatch(/\.downloading$/);
    expect(others).toEqual([]);
    return path.join(bed.cacheDir, model, left!);
  }

  test('is taken up when nobody has written to it for long, and leaves nothing behind', async () => {
    const left = await killWhileDownloading();
    const { size: bytes } = await stat(left);
    const longAgo = new Date(Date.now() - 3_600_000);
    await utimes(left, longAgo, longAgo);
    await (await bed.load()).close();
    expect(bed.hub.of(network).slice(1)).toMatchObject([{ range: `bytes=${bytes}-`, status: 206 }]);
    await expectWholeModel();
  });

  test('is left alone while it may still be in use', async () => {
    const left = await killWhileDownloading();
    await (await bed.load()).close();
    expect(bed.hub.of(network).slice(1)).toMatchObject([{ range: undefined, status: 200 }]);
    expect((await readFile(path.join(bed.cacheDir, model, network))).length).toBe(size);
    await stat(left);
  });
});
