import { execFile, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { AdminClient } from 'chromadb';
import { describe, expect, test } from 'vitest';
import { all } from './support/all.js';
import { chroma } from './support/chroma-command.js';
import { answer, listen, passOn } from './support/front.js';
import { useServer } from './support/private-server.js';
import { open, records } from './support/store.js';

const key = 'a-secret-key';

describe.skipIf(!chroma.available)('an outside server', () => {
  const own = useServer();

  /** A real server that wants a key, as Chroma Cloud and servers behind a proxy do. */
  const guarded = () =>
    listen((incoming, response) => {
      if (incoming.headers['x-chroma-token'] === key) passOn(own.url, incoming, response);
      else answer(response, 401, { error: 'AuthError', message: 'Unauthorized' });
    });

  test('is reached with its key, and refuses without or with another', async () => {
    await using front = await guarded();
    const store = await open(front.url, { apiKey: key });
    await store.upsert(records);
    expect(await store.query(Float32Array.of(0, 2), 1)).toEqual([{ id: 'b', distance: 0 }]);
    for (const apiKey of [undefined, 'wrong']) {
      await expect(open(front.url, { apiKey })).rejects.toMatchObject({
        code: 'unauthorized',
        retryable: false,
        message: expect.stringContaining('CHROMA_API_KEY'),
      });
    }
  });

  test('is refused with the key no longer valid, in every call', async () => {
    let valid = true;
    await using front = await listen((incoming, response) => {
      if (valid) passOn(own.url, incoming, response);
      else answer(response, 403, { error: 'AuthError', message: 'Forbidden' });
    });
    const store = await open(front.url, { corpusId: 'revoked' });
    valid = false;
    await expect(store.query(Float32Array.of(1, 0), 1)).rejects.toMatchObject({ code: 'unauthorized' });
    await expect(store.upsert(records)).rejects.toMatchObject({ code: 'unauthorized' });
    await expect(store.ids().next()).rejects.toMatchObject({ code: 'unauthorized' });
  });

  test('never shows the key in a message', async () => {
    await using front = await guarded();
    const error = await open(front.url, { apiKey: `${key}-wrong` }).catch((reason: unknown) => reason);
    expect(`${(error as Error).message} ${JSON.stringify(error)}`).not.toContain(key);
  });

  test('keeps tenants and databases apart', async () => {
    const { hostname, port } = new URL(own.url);
    const admin = new AdminClient({ host: hostname, port: Number(port), ssl: false });
    await admin.createTenant({ name: 'other-tenant' });
    await admin.createDatabase({ name: 'other-database', tenant: 'other-tenant' });
    const other = await open(own.url, {
      tenant: 'other-tenant',
      database: 'other-database',
      corpusId: 'apart',
    });
    await other.upsert(records);
    expect(await (await open(own.url, { corpusId: 'apart' })).count()).toBe(0);
    expect(
      await (
        await open(own.url, { tenant: 'other-tenant', database: 'other-database', corpusId: 'apart' })
      ).count(),
    ).toBe(2);
  });

  test('without the wanted database is refused, with what to check', async () => {
    await expect(open(own.url, { database: 'no-such-database' })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringMatching(/no-such-database.*CHROMA_DATABASE/),
    });
  });

  test('tells whose tenant and database a key opens', async () => {
    let databases = ['default_database'];
    await using front = await listen((incoming, response) => {
      if (incoming.url?.endsWith('/auth/identity')) {
        answer(response, 200, { user_id: 'me', tenant: 'default_tenant', databases });
      } else passOn(own.url, incoming, response);
    });
    expect(await (await open(front.url, { apiKey: key, corpusId: 'identity' })).count()).toBe(0);
    databases = ['one', 'two'];
    await expect(open(front.url, { apiKey: key })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringMatching(/one, two.*CHROMA_DATABASE/),
    });
  });

  test('may sit under a path, with or without a slash at its end', async () => {
    await using front = await listen((incoming, response) => {
      const path = incoming.url?.match(/^\/some\/path(\/api\/.*)$/)?.[1];
      if (path) passOn(own.url, incoming, response, path);
      else response.writeHead(404).end();
    });
    for (const address of [`${front.url}/some/path`, `${front.url}/some/path/`]) {
      const store = await open(address, { corpusId: 'path' });
      await store.upsert(records);
      expect(await store.count()).toBe(2);
    }
    await expect(open(front.url)).rejects.toMatchObject({ code: 'unsupported' });
  });

  test('is asked for no more than its limits allow', async () => {
    const sizes: number[] = [];
    await using front = await listen((incoming, response) => {
      if (incoming.url?.endsWith('/pre-flight-checks')) {
        answer(response, 200, { max_batch_size: 7, supports_base64_encoding: false });
        return;
      }
      if (incoming.method === 'POST') {
        let body = '';
        incoming.on('data', (chunk: Buffer) => {
          body += chunk.toString();
        });
        incoming.on('end', () => {
          const { ids, limit } = JSON.parse(body) as { ids?: string[]; limit?: number };
          sizes.push(ids?.length ?? 0, limit ?? 0);
        });
      }
      passOn(own.url, incoming, response);
    });
    const store = await open(front.url, { corpusId: 'limits' });
    const many = Array.from({ length: 30 }, (_, index) => ({
      id: `id-${index}`,
      vector: Float32Array.of(1, index),
    }));
    await store.upsert(many);
    expect(await store.count()).toBe(30);
    const within = new Set(many.map(({ id }) => id));
    expect(await store.query(Float32Array.of(1, 0), 30, { within })).toHaveLength(30);
    expect((await all(store.ids())).flat().toSorted()).toEqual([...within].toSorted());
    await store.delete([...within].slice(0, 20));
    expect(await store.count()).toBe(10);
    await store.clear();
    expect(await store.count()).toBe(0);
    expect(Math.max(...sizes)).toBe(7);
  });

  const openssl = spawnSync('openssl', ['version']).status === 0;
  if (!openssl && process.env.CI) throw new Error('openssl is missing, and needed to test https');

  test.skipIf(!openssl)(
    'is reached over https if Node trusts its certificate, and refused otherwise',
    async () => {
      const [keyFile, certFile] = [join(own.folder, 'key.pem'), join(own.folder, 'cert.pem')];
      const made = spawnSync(
        'openssl',
        `req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1`
          .split(' ')
          .concat('-keyout', keyFile, '-out', certFile),
      );
      expect(made.status, made.stderr.toString()).toBe(0);
      const credentials = { key: await readFile(keyFile, 'utf8'), cert: await readFile(certFile, 'utf8') };
      await using front = await listen((incoming, response) => {
        passOn(own.url, incoming, response, incoming.url?.replace('/chroma', ''));
      }, credentials);
      await expect(open(`${front.url}/chroma`)).rejects.toMatchObject({
        code: 'unavailable',
        retryable: false,
        message: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
      });

      const program = fileURLToPath(new URL('./support/count.mjs', import.meta.url));
      const { stdout } = await promisify(execFile)(process.execPath, [program, `${front.url}/chroma`], {
        env: { ...process.env, NODE_EXTRA_CA_CERTS: certFile },
      });
      expect(stdout).toBe('2\n');
    },
  );

  test('gets the HNSW settings of the graph, and says that an existing one keeps its own', async () => {
    const messages: string[] = [];
    const log = (_level: string, message: string) => void messages.push(message);
    const first = await open(own.url, {
      corpusId: 'hnsw',
      hnsw: { efSearch: 33, maxNeighbors: 8, efConstruction: 50 },
    });
    await first.upsert(records);
    expect(await hnswOf(first.collection)).toMatchObject({
      max_neighbors: 8,
      ef_construction: 50,
    });
    const second = await open(own.url, { corpusId: 'hnsw', hnsw: { efSearch: 44, maxNeighbors: 9 }, log });
    expect(await hnswOf(second.collection)).toMatchObject({ max_neighbors: 8 });
    expect(messages).toEqual([expect.stringContaining('maxNeighbors')]);
    expect(await second.query(Float32Array.of(1, 0), 2)).toHaveLength(2);
  });

  async function hnswOf(collection: string): Promise<unknown> {
    const answered = await fetch(
      `${own.url}/api/v2/tenants/default_tenant/databases/default_database/collections/${collection}`,
    );
    return ((await answered.json()) as { configuration_json: { hnsw: unknown } }).configuration_json.hnsw;
  }
});
