import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Embedder, EmbedderError, loadEmbedder } from '@kettle/embedder';
import { modelsDirectory } from '@kettle/model-minilm';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';

const modelDirs = [modelsDirectory];
let embedder: Embedder;

beforeAll(async () => {
  embedder = await loadEmbedder({ modelDirs, processes: 1 });
});

function length(vector: Float32Array): number {
  return Math.hypot(...vector);
}

describe('vectors', () => {
  test('have length 1 and the dimensions the embedder states', async () => {
    const vectors = await embedder.embedDocuments(['tea', 'A pot of tea for two, please.', '   ', '🫖']);
    for (const vector of [...vectors, await embedder.embedQuery('tea')]) {
      expect(vector).toBeInstanceOf(Float32Array);
      expect(vector.length).toBe(embedder.dimensions);
      expect(length(vector)).toBeCloseTo(1, 6);
    }
  });

  test('of a text are the same bit for bit, alone or among others, now or later', async () => {
    const texts = ['short', 'a much longer text, '.repeat(30), 'dogs are welcome on the terrace'];
    const together = await embedder.embedDocuments(texts);
    const [all, ...alone] = await Promise.all([
      embedder.embedDocuments([...texts].reverse()),
      ...texts.map((text) => embedder.embedDocuments([text])),
    ]);
    expect(alone.flat()).toEqual(together);
    expect([...all].reverse()).toEqual(together);
    expect(await embedder.embedQuery(texts[0]!)).toEqual(together[0]);
  });

  test('of no texts are none', async () => {
    expect(await embedder.embedDocuments([])).toEqual([]);
    expect(await embedder.countTokens([])).toEqual([]);
  });
});

describe('texts that are refused', () => {
  const words = (count: number): string => 'tea '.repeat(count);

  test('one token more than the model reads is too many, and nothing is embedded', async () => {
    expect(embedder.maxTokens).toBe(254);
    expect(await embedder.countTokens([words(254), words(255)])).toEqual([254, 255]);
    expect((await embedder.embedDocuments([words(254)])).length).toBe(1);

    const refusal = embedder.embedDocuments(['tea', words(255), 'tea']);
    await expect(refusal).rejects.toMatchObject({
      code: 'text_too_long',
      details: { index: 1, tokens: 255, limit: 254 },
      message: expect.stringMatching(/text 1 .* 255 .* 254/),
    });
    await expect(embedder.embedQuery(words(1000))).rejects.toMatchObject({ code: 'text_too_long' });
  });

  test.each([[''], [undefined], [null], [7], [['tea']]])('%j is no text', async (text) => {
    const bad = text as string;
    const expected = { code: 'invalid_text' };
    await expect(embedder.embedQuery(bad)).rejects.toMatchObject(expected);
    await expect(embedder.countTokens(['tea', bad])).rejects.toMatchObject(expected);
    await expect(embedder.embedDocuments(['tea', bad])).rejects.toMatchObject({
      ...expected,
      details: { index: 1 },
    });
  });

  test('any string gives a vector of length 1 or is refused, as its tokens say', async () => {
    const anyText = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 600 }),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 }),
      // Lone surrogates, right-to-left marks, joiners, controls, the tokenizer's own words.
      fc
        .array(
          fc.constantFrom(
            '\ud83e',
            '\udd56',
            'שלום',
            '\u202e',
            '\u200d',
            '\0',
            '[SEP]',
            '##ing',
            'ß',
            '茶',
            ' ',
          ),
          {
            minLength: 1,
            maxLength: 150,
          },
        )
        .map((parts) => parts.join('')),
      fc.string({ minLength: 1, maxLength: 20 }).map((text) => text.repeat(40)),
    );
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        const [tokens] = await embedder.countTokens([text]);
        const vector = await embedder.embedQuery(text).catch((error: unknown) => error);
        if (tokens! > embedder.maxTokens) {
          expect(vector).toMatchObject({ code: 'text_too_long', details: { tokens } });
        } else {
          expect(length(vector as Float32Array)).toBeCloseTo(1, 5);
        }
      }),
      { numRuns: 150 },
    );
  });
});

describe('calls', () => {
  const many = Array.from({ length: 300 }, (_, index) => `${index} `.repeat(100));

  test('leave the main thread free', async () => {
    let turns = 0;
    let done = false;
    const turn = (): void => {
      turns++;
      if (!done) setImmediate(turn);
    };
    setImmediate(turn);
    await embedder.embedDocuments(many.slice(0, 20));
    done = true;
    expect(turns).toBeGreaterThan(100);
  });

  test('end when they are aborted, and leave room for the next', async () => {
    const abort = new AbortController();
    const call = embedder.embedDocuments(many, { signal: abort.signal });
    const reason = new Error('enough');
    abort.abort(reason);
    await expect(call).rejects.toBe(reason);
    await expect(embedder.embedQuery('tea', { signal: abort.signal })).rejects.toBe(reason);
    // With the cancelled texts still in the way, this one, as patient as they were, would come after them.
    const order: string[] = [];
    const rest = embedder.embedDocuments(many.slice(0, 50)).then(() => order.push('rest'));
    const aborted = new AbortController();
    const between = embedder
      .embedDocuments(many, { signal: aborted.signal })
      .catch(() => order.push('aborted'));
    aborted.abort();
    const last = embedder.embedDocuments(['tea']).then(() => order.push('last'));
    await Promise.all([rest, between, last]);
    expect(order).toEqual(['aborted', 'rest', 'last']);
  });

  test('of any number may share a signal, without a warning', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    const { signal } = new AbortController();
    await Promise.all(
      many.slice(0, 30).map(async (text) => {
        await embedder.countTokens([text], { signal });
        await embedder.embedDocuments([text], { signal });
      }),
    );
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });

  test('of queries and counts overtake waiting documents', async () => {
    const order: string[] = [];
    await Promise.all([
      embedder.embedDocuments(many.slice(0, 30)).then(() => order.push('documents')),
      embedder.countTokens(['tea']).then(() => order.push('count')),
      embedder.embedQuery('tea').then(() => order.push('query')),
    ]);
    expect(order.at(-1)).toBe('documents');
  });
});

describe('loading and closing', () => {
  const run = (script: string) =>
    promisify(execFile)(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `import { loadEmbedder } from '@kettle/embedder'; ${script}`,
        modelsDirectory,
      ],
      { cwd: import.meta.dirname, timeout: 50_000 },
    );

  test('several models run in one thread, and closing one leaves the others', async () => {
    const [one, two] = await Promise.all([loadEmbedder({ modelDirs }), loadEmbedder({ modelDirs })]);
    expect(one.fingerprint).toBe(two.fingerprint);
    const vector = await one.embedQuery('tea');
    const waiting = one.embedDocuments(Array.from({ length: 50 }, () => 'tea'));
    await one.close();
    await one.close();
    await expect(waiting).rejects.toMatchObject({ code: 'closed' });
    await expect(one.embedQuery('tea')).rejects.toMatchObject({ code: 'closed' });
    expect(await two.embedQuery('tea')).toEqual(vector);
    await two.close();

    const again = await loadEmbedder({ modelDirs });
    expect(await again.embedQuery('tea')).toEqual(vector);
    await again.close();
  });

  test('a thread that ended is told apart from an embedder that was closed, and says what to do', async () => {
    // As when it runs out of memory: the process reports that to whoever listens to the thread.
    const { stdout } = await run(`
      const one = await loadEmbedder({ modelDirs: [process.argv[1]], processes: 1 });
      globalThis[Symbol.for('kettle.embedder.thread.v2')].end(new Error('out of memory'));
      const say = (error) => console.log(error.code, error.message);
      await one.embedQuery('tea').catch(say);
      await loadEmbedder({ modelDirs: [process.argv[1]] }).catch(say);
      process.exit();
    `);
    expect(stdout.match(/^thread_ended .*out of memory; restart the process/gm)).toHaveLength(2);
  });

  test('an aborted load rejects with the reason', async () => {
    const abort = new AbortController();
    const loading = loadEmbedder({ modelDirs, signal: abort.signal });
    abort.abort(new Error('enough'));
    await expect(loading).rejects.toThrow('enough');
    await expect(loadEmbedder({ modelDirs, signal: abort.signal })).rejects.toThrow('enough');
  });

  const silent = { stdout: '', stderr: '' };

  test('an idle embedder lets the process end, a busy one finishes; standard output stays empty', async () => {
    const result = await run(`
      const embedder = await loadEmbedder({ modelDirs: [process.argv[1]] });
      const vectors = await embedder.embedDocuments(['tea', 'coffee']);
      if (vectors.length !== 2) process.exitCode = 3;
    `);
    expect(result).toEqual(silent);
  });

  test('a process may exit in the middle of everything', async () => {
    const result = await run(`
      const embedder = await loadEmbedder({ modelDirs: [process.argv[1]], processes: 1 });
      embedder.embedDocuments(Array.from({ length: 100 }, () => 'tea '.repeat(200))).catch(() => {});
      await embedder.embedQuery('tea');
      process.exit(0);
    `);
    expect(result).toEqual(silent);
    // While the thread starts, loads the native part, loads the model.
    for (const milliseconds of [0, 20, 60, 120, 250, 400, 600]) {
      const script = `loadEmbedder({ modelDirs: [process.argv[1]] }).catch(() => {}); setTimeout(process.exit, ${milliseconds}, 0)`;
      expect(await run(script), `exit after ${milliseconds} ms`).toEqual(silent);
    }
  });

  test('errors know their kind across copies of the package', async () => {
    const error = await loadEmbedder({ model: 'no/such-model' }).catch((reason: unknown) => reason);
    expect(EmbedderError.isInstance(error)).toBe(true);
    expect(EmbedderError.isInstance(new Error('x'))).toBe(false);
  });
});
