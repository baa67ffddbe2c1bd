import { type IndexProgress, SearchError, type SearchOptions } from '@kettle/search';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  LoggingMessageNotificationSchema,
  type Progress,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { connect } from './support/connect.js';
import { FakeApp } from './support/fake-app.js';

/** A promise and what fulfils it. */
function deferred<T>() {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((fulfil) => {
    resolve = fulfil;
  });
  return { promise, resolve };
}

let app: FakeApp;
let client: Client;
let heard: string[];

beforeEach(async () => {
  app = new FakeApp();
  client = await connect(app);
  heard = [];
  client.setNotificationHandler(ResourceListChangedNotificationSchema, () => void heard.push('list'));
  client.setNotificationHandler(
    ResourceUpdatedNotificationSchema,
    ({ params }) => void heard.push(params.uri),
  );
  client.setNotificationHandler(
    LoggingMessageNotificationSchema,
    ({ params }) => void heard.push(params.level),
  );
});

afterEach(() => vi.restoreAllMocks());

describe('changes of the documents', () => {
  it('are told as a new list when documents came or went', async () => {
    app.change({ added: ['b.txt'] });
    app.change({ removed: ['b.txt'] });
    app.change({ changed: ['a.txt'] });
    await client.ping();
    expect(heard).toEqual(['list', 'list']);
  });

  it('are told also when it is not known which', async () => {
    await client.subscribeResource({ uri: 'kettle://documents/a.txt' });
    app.change({});
    await client.ping();
    expect(heard).toEqual(['list', 'kettle://documents/a.txt']);
  });

  it('are no news during the first synchronisation, but to a client that has seen the list', async () => {
    app.change({ added: ['b.txt'] }, true);
    await client.ping();
    expect(heard).toEqual([]);
    await client.listResources();
    app.change({ added: ['c.txt'] }, true);
    await client.ping();
    expect(heard).toEqual(['list']);
  });

  it('are told for a resource until the subscription ends', async () => {
    app.documents.set('b c.txt', 'Beta.');
    const uri = 'kettle://documents/b%20c.txt';
    await client.subscribeResource({ uri });
    app.change({ changed: ['a.txt'] });
    app.change({ changed: ['b c.txt', 'a.txt'] });
    app.change({ removed: ['b c.txt'] });
    await client.ping();
    expect(heard).toEqual([uri, 'list', uri]);
    await client.unsubscribeResource({ uri });
    app.change({ changed: ['b c.txt'] });
    await client.ping();
    expect(heard).toHaveLength(3);
  });

  it('are told once, by the latest uri, however many ways of writing it were subscribed to', async () => {
    const spellings = ['a.txt', '%61.txt', 'a%2Etxt', 'a%2etxt', '%61%2E%74%78%74'];
    for (const name of spellings) await client.subscribeResource({ uri: `kettle://documents/${name}` });
    app.change({ changed: ['a.txt'] });
    await client.ping();
    expect(heard).toEqual([`kettle://documents/${spellings.at(-1)}`]);
    await client.unsubscribeResource({ uri: 'kettle://documents/a.txt' });
    app.change({ changed: ['a.txt'] });
    await client.ping();
    expect(heard).toHaveLength(1);
  });

  it('can not be subscribed to for what is not there', async () => {
    await expect(client.subscribeResource({ uri: 'kettle://documents/none' })).rejects.toMatchObject({
      code: -32002,
    });
  });

  it('are not told before initialize nor after the end, and the app is let go', async () => {
    expect(app.listeners).toBe(1);
    await client.close();
    expect(app.listeners).toBe(0);
    app.change({ added: ['b.txt'] });
    expect(heard).toEqual([]);
  });
});

describe('log messages', () => {
  const failing = () => client.callTool({ name: 'get_document', arguments: { name: 'none' } });

  it('are not sent until the client asks', async () => {
    await failing();
    expect(heard).toEqual([]);
  });

  it('are sent from the level on that it asked for', async () => {
    await client.setLoggingLevel('warning');
    app.change({ changed: ['a.txt'] });
    await failing();
    expect(heard).toEqual(['warning']);
    await client.setLoggingLevel('debug');
    app.change({ changed: ['a.txt'] });
    await client.callTool({ name: 'search', arguments: { query: 'x' } });
    expect(heard).toEqual(['warning', 'info', 'debug']);
    await client.setLoggingLevel('emergency');
    await failing();
    expect(heard).toHaveLength(3);
  });
});

describe('a search that waits', () => {
  const search = { name: 'search', arguments: { query: 'x' } };

  it('reports progress that only grows, through all phases, to a client that asked', async () => {
    let now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    app.search = async (_query, options) => {
      const report = (phase: IndexProgress['phase'], done: number, total: number) => {
        now += 100;
        options?.onProgress?.({ phase, done, total, message: `${phase} ${done}` });
      };
      report('loading', 0, 1);
      report('opening', 0, 1);
      report('embedding', 0, 10);
      report('embedding', 4, 10);
      for (let done = 0; done < 1000; done++) report('storing', done, 1000);
      report('embedding', 10, 10);
      return [];
    };
    const seen: Progress[] = [];
    await client.callTool(search, undefined, { onprogress: (progress) => void seen.push(progress) });
    expect(seen.map(({ message }) => message)).toContain('loading 0');
    expect(seen).toHaveLength(1005);
    const numbers = seen.map(({ progress }) => progress);
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
    for (const { progress, total } of seen) expect(progress).toBeLessThan(total as number);
    expect(seen.at(-1)).toMatchObject({ total: 11 });
  });

  it('reports no more often than ten times a second', async () => {
    vi.spyOn(performance, 'now').mockReturnValue(1000);
    app.search = async (_query, options) => {
      for (let done = 0; done < 50; done++)
        options?.onProgress?.({ phase: 'embedding', done, total: 50, message: 'x' });
      return [];
    };
    const seen: Progress[] = [];
    await client.callTool(search, undefined, { onprogress: (progress) => void seen.push(progress) });
    expect(seen).toHaveLength(1);
  });

  it('reports nothing to a client that did not ask', async () => {
    let options: SearchOptions | undefined;
    app.search = async (_query, given) => {
      options = given;
      return [];
    };
    await client.callTool(search);
    expect(options?.onProgress).toBeUndefined();
  });

  it('is given up when the client cancels it', async () => {
    const started = deferred<AbortSignal>();
    app.search = (_query, options) => {
      started.resolve(options?.signal as AbortSignal);
      return new Promise(() => {});
    };
    const cancel = new AbortController();
    const call = client.callTool(search, undefined, { signal: cancel.signal }).catch((error) => error);
    const signal = await started.promise;
    expect(signal.aborted).toBe(false);
    cancel.abort('enough');
    await call;
    await client.ping();
    expect(signal.aborted).toBe(true);
    expect(app.logged).toEqual([]);
  });

  it('is given up when the client is gone', async () => {
    const started = deferred<AbortSignal>();
    app.search = (_query, options) => {
      started.resolve(options?.signal as AbortSignal);
      return new Promise(() => {});
    };
    client.callTool(search).catch(() => {});
    const signal = await started.promise;
    await client.close();
    expect(signal.aborted).toBe(true);
  });
});

describe('a search that fails', () => {
  const codes = [
    'invalid_query',
    'query_too_long',
    'invalid_argument',
    'document_not_found',
    'document_unreadable',
    'folder_unavailable',
    'model_unavailable',
    'store_unavailable',
    'index_foreign',
    'index_newer',
    'index_unavailable',
    'storage_full',
    'closed',
  ] as const;
  const secret = '/home/someone/secret/catalog.sqlite';

  it.each([
    ...codes.map((code) => new SearchError(code, `broken: ${secret}`)),
    new Error(secret),
    'text',
    undefined,
  ])('answers %s with a sentence that gives nothing away', async (error) => {
    app.search = () => Promise.reject(error);
    const { content, isError } = await client.callTool({ name: 'search', arguments: { query: 'x' } });
    expect(isError).toBe(true);
    const [{ text }] = content as [{ text: string }];
    expect(text).toMatch(/^[A-Z].{20,300}[.?]$/);
    expect(text).not.toMatch(/secret|\/home|\n/);
  });

  it.each(['index_foreign', 'index_newer', 'index_unavailable'] as const)(
    'with %s is an error in the log, unless the index has logged it already',
    async (code) => {
      const fail = async (message: string) => {
        app.search = () => Promise.reject(new SearchError(code, message));
        await client.callTool({ name: 'search', arguments: { query: 'x' } });
      };
      app.lastError = { code, message: 'The index is broken.', at: '2026-11-30T12:00:00.000Z' };
      await fail('The index is broken.');
      await fail('The query is broken.');
      await expect
        .poll(() => app.logged.filter((line) => line.includes('broken')))
        .toEqual(['debug The index is broken.', 'error The query is broken.']);
    },
  );
});
