import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { modelsDirectory } from '@kettle/model-minilm';
import { describe, expect, test } from 'vitest';
import { failure, model, network, size, source, useDownloadBed } from './download-bed.js';
import { Hub } from './hub.js';

const html = new TextEncoder().encode('<!doctype html><title>Please log in</title>');

const bed = useDownloadBed();

describe('a download that cannot be had', () => {
  test.each([
    ['config.json', 404, 'model_not_found'],
    ['config.json', 401, 'model_not_found'],
    ['tokenizer.json', 403, 'model_not_found'],
    ['tokenizer_config.json', 500, 'hub_unreachable'],
    ['sentence_bert_config.json', 503, 'hub_unreachable'],
  ] as const)('%s answered with %i is %s', async (name, status, code) => {
    bed.hub.behaviour = (file) => (file === name ? { status } : {});
    const error = await failure(bed.load());
    expect(error.code).toBe(code);
    for (const part of [model, bed.endpoint, name, String(status), 'EMBEDDING_MODEL_DIR']) {
      expect(error.message).toContain(part);
    }
  });

  test('no network: says which model, from where, and what to set', async () => {
    await bed.hub.close();
    const error = await failure(bed.load());
    expect(error.code).toBe('hub_unreachable');
    for (const part of [model, bed.endpoint, 'ECONNREFUSED', 'HF_ENDPOINT', 'EMBEDDING_MODEL_DIR']) {
      expect(error.message).toContain(part);
    }
    bed.hub = new Hub(source);
    await bed.hub.listen();
  });

  test('downloads off: asks nobody, says where it looked and what to set', async () => {
    const error = await failure(bed.load({ allowDownload: false, modelDirs: [modelsDirectory] }));
    expect(error.code).toBe('model_not_found');
    for (const part of [model, modelsDirectory, bed.cacheDir, 'HF_ENDPOINT', 'EMBEDDING_MODEL_DIR']) {
      expect(error.message).toContain(part);
    }
    expect(bed.hub.requests).toEqual([]);
  });

  test.each(['../../etc/passwd', '/etc/passwd', 'a/../b', 'https://a/b', 'a/b/c', '.', '', 'a b'])(
    'the id %j leads nowhere',
    async (id) => {
      expect((await failure(bed.load({ model: id }))).code).toBe('model_not_found');
      expect(bed.hub.requests).toEqual([]);
    },
  );
});

describe('content that is no model', () => {
  test.each(['config.json', network])('a web page as %s is refused and not kept', async (name) => {
    bed.hub.behaviour = (file) => (file === name ? { body: html } : {});
    const error = await failure(bed.load());
    expect(error.code).toBe('model_invalid');
    for (const part of [model, bed.endpoint, name]) expect(error.message).toContain(part);
    expect(await bed.cachedFiles()).not.toContain(name);

    bed.hub.behaviour = () => ({});
    await (await bed.load()).close();
  });

  test('a network that ends early is refused, and says what to delete', async () => {
    const cut = (await readFile(path.join(source, network))).subarray(0, 12_345_678);
    bed.hub.behaviour = (file) => (file === network ? { body: cut } : {});
    const error = await failure(bed.load());
    expect(error.code).toBe('model_invalid');
    for (const part of [model, path.join(bed.cacheDir, model), 'Delete'])
      expect(error.message).toContain(part);
    expect((await stat(path.join(bed.cacheDir, model, network))).size).toBe(cut.length);
  });

  test('fewer bytes than the hub announced are refused', async () => {
    const cut = (await readFile(path.join(source, network))).subarray(0, 12_345_678);
    const redirect = {
      redirectTo: `${bed.endpoint}/x/resolve/main/cut`,
      headers: { 'x-linked-size': String(size) },
    };
    bed.hub.behaviour = (file) => {
      if (file === network) return redirect;
      return file === 'cut' ? { body: cut } : {};
    };
    const error = await failure(bed.load());
    expect(error.code).toBe('model_invalid');
    expect(error.message).toContain(`announced ${size}`);
    expect(await bed.cachedFiles()).not.toContain(network);
  });
});
