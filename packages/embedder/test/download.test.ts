import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { EmbedderError, type LoadEmbedderOptions, loadEmbedder } from '@kettle/embedder';
import { model as minilm, modelsDirectory } from '@kettle/model-minilm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Hub } from './hub.js';

const source = path.join(modelsDirectory, minilm.id);
const model = 'somebody/some-model';
const network = 'onnx/model_quantized.onnx';
const size = 22_707_850;
const html = new TextEncoder().encode('<!doctype html><title>Please log in</title>');

let hub: Hub;
let endpoint: string;
let cacheDir: string;

beforeEach(async () => {
  hub = new Hub(source);
  endpoint = await hub.listen();
  cacheDir = await mkdtemp(path.join(tmpdir(), 'kettle-embedder-'));
});

afterEach(async () => {
  await hub.close();
  await rm(cacheDir, { recursive: true, force: true });
});

function load(options: LoadEmbedderOptions = {}) {
  return loadEmbedder({ model, cacheDir, endpoint, ...options });
}

async function failure(promise: Promise<unknown>): Promise<EmbedderError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(EmbedderError.isInstance(error), `expected an EmbedderError, got ${error}`).toBe(true);
  return error as EmbedderError;
}

async function cachedFiles(): Promise<string[]> {
  const entries = await readdir(cacheDir, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(path.join(cacheDir, model), path.join(entry.parentPath, entry.name)))
    .sort();
}

const whole = ['config.json', network, 'tokenizer.json', 'tokenizer_config.json'];

async function expectWholeModel(): Promise<void> {
  expect(await cachedFiles()).toEqual(whole);
  const copy = await readFile(path.join(cacheDir, model, network));
  const original = await readFile(path.join(source, network));
  // Not toEqual, which takes minutes over so many bytes.
  expect(copy.equals(original)).toBe(true);
}

describe('a download that goes well', () => {
  test('brings the model, tells how far it is, and is not repeated', async () => {
    const progress: string[] = [];
    let last: unknown;
    const embedder = await load({
      onProgress: (update) => {
        if (progress.at(-1) !== update.file) progress.push(update.file);
        last = update;
      },
    });
    expect(embedder.dimensions).toBe(384);
    await expectWholeModel();
    expect(progress).toEqual(['config.json', 'tokenizer.json', 'tokenizer_config.json', network]);
    expect(last).toEqual({ file: network, loaded: size, total: size });

    const requests = hub.requests.length;
    await (await load()).close();
    await (await load({ allowDownload: false })).close();
    expect(hub.requests.length).toBe(requests);
  });

  test('gives the vectors of the original, under a fingerprint of its own name', async () => {
    const original = await loadEmbedder({ modelDirs: [modelsDirectory] });
    const copy = await load();
    expect(await copy.embedQuery('hello')).toEqual(await original.embedQuery('hello'));
    expect(copy.fingerprint).not.toBe(original.fingerprint);
  });

  test('takes the full-precision network where the hub has no quantised one', async () => {
    const bytes = await readFile(path.join(source, network));
    hub.behaviour = (file) => {
      if (file === network) return { status: 404 };
      return file === 'onnx/model.onnx' ? { body: bytes } : {};
    };
    const embedder = await load();
    expect((await embedder.embedQuery('hello')).length).toBe(384);
    expect(await cachedFiles()).toContain('onnx/model.onnx');
  });

  test('follows redirects, and holds the file to the hash that the redirect announced', async () => {
    const elsewhere = new Hub(source);
    const other = await elsewhere.listen();
    try {
      hub.behaviour = (file) =>
        file === network
          ? {
              redirectTo: `${other}/x/resolve/main/${network}`,
              headers: { 'x-linked-etag': `"${'0'.repeat(64)}"`, 'x-linked-size': String(size) },
            }
          : {};
      const error = await failure(load());
      expect(error.code).toBe('model_invalid');
      expect(error.message).toContain('sha256');
      hub.behaviour = (file) =>
        file === network ? { redirectTo: `${other}/x/resolve/main/${network}` } : {};
      await (await load()).close();
      await expectWholeModel();
    } finally {
      await elsewhere.close();
    }
  });

  test('may be made twice at once', async () => {
    const embedders = await Promise.all([load(), load()]);
    expect(embedders.map((embedder) => embedder.dimensions)).toEqual([384, 384]);
    await expectWholeModel();
  });
});

describe('a download that breaks', () => {
  test('goes on where it stopped, within the same call', async () => {
    hub.behaviour = (file, earlier) => (file === network && earlier === 0 ? { breakAfter: 10_000_000 } : {});
    await (await load()).close();
    const [first, second] = hub.of(network);
    expect(first).toMatchObject({ range: undefined, status: 200 });
    expect(second).toMatchObject({ status: 206 });
    expect(Number(/^bytes=(\d+)-$/.exec(second!.range!)![1])).toBeGreaterThan(0);
    expect(second!.ifRange).toMatch(/^"[\da-f]{64}"$/);
    await expectWholeModel();
  });

  test('goes on where it stopped, in a later call', async () => {
    hub.behaviour = (file, earlier) => {
      if (file !== network) return {};
      return earlier === 0 ? { breakAfter: 10_000_000 } : { status: 503 };
    };
    const error = await failure(load());
    expect(error.code).toBe('hub_unreachable');
    expect((await cachedFiles()).some((file) => file.endsWith('.partial'))).toBe(true);

    hub.behaviour = () => ({});
    const before = hub.of(network).length;
    await (await load()).close();
    expect(hub.of(network).slice(before)).toMatchObject([{ status: 206 }]);
    await expectWholeModel();
  });

  test('is redone from the start when the server sends no ranges', async () => {
    hub.behaviour = (file, earlier) => {
      if (file !== network) return {};
      return earlier === 0 ? { breakAfter: 10_000_000 } : { ignoreRange: true };
    };
    await (await load()).close();
    expect(hub.of(network)).toMatchObject([{ status: 200 }, { status: 200 }]);
    await expectWholeModel();
  });

  test('is redone from the start when the file has changed since', async () => {
    const other = (await readFile(path.join(source, network))).subarray(0, 15_000_000);
    hub.behaviour = (file, earlier) => {
      if (file !== network || earlier > 1) return {};
      return earlier === 0 ? { body: other, breakAfter: 10_000_000 } : {};
    };
    await (await load()).close();
    expect(hub.of(network)).toMatchObject([{ status: 200 }, { status: 200 }]);
    await expectWholeModel();
  });

  test('is given up when no byte comes any more', async () => {
    hub.behaviour = (file, earlier) =>
      file === 'tokenizer.json' ? { stallAfter: earlier === 0 ? 1000 : 0 } : {};
    const error = await failure(load({ stallTimeout: 100 }));
    expect(error.code).toBe('hub_unreachable');
    expect(error.message).toContain('sent nothing for 0.1 s');
  });

  test('ends at once when the caller wants no more, and keeps what is there', async () => {
    const abort = new AbortController();
    hub.behaviour = (file) => (file === network ? { stallAfter: 5_000_000 } : {});
    const onProgress = ({ loaded }: { loaded: number }): void => {
      if (loaded >= 5_000_000) abort.abort(new Error('enough'));
    };
    await expect(load({ onProgress, signal: abort.signal })).rejects.toThrow('enough');
    expect((await cachedFiles()).filter((file) => file.endsWith('.partial'))).toHaveLength(1);
  });
});

describe('a download of a process that was killed', () => {
  /** Leaves the file in use that a killed process leaves; gives its path. */
  async function killWhileDownloading(): Promise<string> {
    hub.behaviour = (file) => (file === network ? { stallAfter: 5_000_000 } : {});
    const script = `
      import { loadEmbedder } from '@kettle/embedder';
      const [model, cacheDir, endpoint] = process.argv.slice(1);
      const onProgress = ({ loaded }) => { if (loaded >= 5_000_000) process.kill(process.pid, 'SIGKILL'); };
      await loadEmbedder({ model, cacheDir, endpoint, onProgress });`;
    const args = ['--input-type=module', '-e', script, model, cacheDir, endpoint];
    const child = spawn(process.execPath, args, { cwd: import.meta.dirname, stdio: 'ignore' });
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
    hub.behaviour = () => ({});
    const [left, ...others] = (await cachedFiles()).filter((file) => file.startsWith(`${network}.`));
    expect(left).toMatch(/\.downloading$/);
    expect(others).toEqual([]);
    return path.join(cacheDir, model, left!);
  }

  test('is taken up when nobody has written to it for long, and leaves nothing behind', async () => {
    const left = await killWhileDownloading();
    const { size: bytes } = await stat(left);
    const longAgo = new Date(Date.now() - 3_600_000);
    await utimes(left, longAgo, longAgo);
    await (await load()).close();
    expect(hub.of(network).slice(1)).toMatchObject([{ range: `bytes=${bytes}-`, status: 206 }]);
    await expectWholeModel();
  });

  test('is left alone while it may still be in use', async () => {
    const left = await killWhileDownloading();
    await (await load()).close();
    expect(hub.of(network).slice(1)).toMatchObject([{ range: undefined, status: 200 }]);
    expect((await readFile(path.join(cacheDir, model, network))).length).toBe(size);
    await stat(left);
  });
});

describe('a download that cannot be had', () => {
  test.each([
    ['config.json', 404, 'model_not_found'],
    ['config.json', 401, 'model_not_found'],
    ['tokenizer.json', 403, 'model_not_found'],
    ['tokenizer_config.json', 500, 'hub_unreachable'],
    ['sentence_bert_config.json', 503, 'hub_unreachable'],
  ] as const)('%s answered with %i is %s', async (name, status, code) => {
    hub.behaviour = (file) => (file === name ? { status } : {});
    const error = await failure(load());
    expect(error.code).toBe(code);
    for (const part of [model, endpoint, name, String(status), 'EMBEDDING_MODEL_DIR']) {
      expect(error.message).toContain(part);
    }
  });

  test('no network: says which model, from where, and what to set', async () => {
    await hub.close();
    const error = await failure(load());
    expect(error.code).toBe('hub_unreachable');
    for (const part of [model, endpoint, 'ECONNREFUSED', 'HF_ENDPOINT', 'EMBEDDING_MODEL_DIR']) {
      expect(error.message).toContain(part);
    }
    hub = new Hub(source);
    await hub.listen();
  });

  test('downloads off: asks nobody, says where it looked and what to set', async () => {
    const error = await failure(load({ allowDownload: false, modelDirs: [modelsDirectory] }));
    expect(error.code).toBe('model_not_found');
    for (const part of [model, modelsDirectory, cacheDir, 'HF_ENDPOINT', 'EMBEDDING_MODEL_DIR']) {
      expect(error.message).toContain(part);
    }
    expect(hub.requests).toEqual([]);
  });

  test.each(['../../etc/passwd', '/etc/passwd', 'a/../b', 'https://a/b', 'a/b/c', '.', '', 'a b'])(
    'the id %j leads nowhere',
    async (id) => {
      expect((await failure(load({ model: id }))).code).toBe('model_not_found');
      expect(hub.requests).toEqual([]);
    },
  );
});

describe('content that is no model', () => {
  test.each(['config.json', network])('a web page as %s is refused and not kept', async (name) => {
    hub.behaviour = (file) => (file === name ? { body: html } : {});
    const error = await failure(load());
    expect(error.code).toBe('model_invalid');
    for (const part of [model, endpoint, name]) expect(error.message).toContain(part);
    expect(await cachedFiles()).not.toContain(name);

    hub.behaviour = () => ({});
    await (await load()).close();
  });

  test('a network that ends early is refused, and says what to delete', async () => {
    const cut = (await readFile(path.join(source, network))).subarray(0, 12_345_678);
    hub.behaviour = (file) => (file === network ? { body: cut } : {});
    const error = await failure(load());
    expect(error.code).toBe('model_invalid');
    for (const part of [model, path.join(cacheDir, model), 'Delete']) expect(error.message).toContain(part);
    expect((await stat(path.join(cacheDir, model, network))).size).toBe(cut.length);
  });

  test('fewer bytes than the hub announced are refused', async () => {
    const cut = (await readFile(path.join(source, network))).subarray(0, 12_345_678);
    const redirect = {
      redirectTo: `${endpoint}/x/resolve/main/cut`,
      headers: { 'x-linked-size': String(size) },
    };
    hub.behaviour = (file) => {
      if (file === network) return redirect;
      return file === 'cut' ? { body: cut } : {};
    };
    const error = await failure(load());
    expect(error.code).toBe('model_invalid');
    expect(error.message).toContain(`announced ${size}`);
    expect(await cachedFiles()).not.toContain(network);
  });
});
