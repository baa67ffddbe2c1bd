import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { embeddedText, type Passage, splitPassages } from '../src/passages/split-passages.js';
import { FakeEmbedder, tokens } from './support/fake-embedder.mjs';

type Markup = 'plain' | 'markdown';

/** Half of a character outside the first plane: a cut went through the middle of one. */
const loneSurrogate = /\p{Cs}/u;

function split(text: string, markup: Markup = 'plain', maxTokens = 100): Promise<Passage[]> {
  return splitPassages(text, markup, new FakeEmbedder({ maxTokens }));
}

const word = fc.oneof(
  { weight: 8, arbitrary: fc.stringMatching(/^[a-z]{1,9}$/) },
  { weight: 1, arbitrary: fc.stringMatching(/^[a-z]{200,900}$/) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 }) },
);
const sentence = fc.array(word, { minLength: 1, maxLength: 30 }).map((words) => `${words.join(' ')}.`);
const line = fc.oneof(
  { weight: 5, arbitrary: sentence },
  { weight: 1, arbitrary: sentence.map((text) => `## ${text.slice(0, 60)}`) },
  { weight: 1, arbitrary: fc.constantFrom('```', '---', '| a | b |', '- item', '\t', '') },
);
const text = fc
  .array(fc.tuple(line, fc.constantFrom('\n', '\n\n', '\r\n\r\n', ' ', '\n \n\n')), { maxLength: 25 })
  .map((lines) => lines.flat().join(''));
const documents = fc.oneof(
  { weight: 4, arbitrary: text },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
);
const markups = fc.constantFrom<Markup>('plain', 'markdown');

describe('passages of any text', () => {
  it('hold all of it but white space, in order, without overlap, each where it says', async () => {
    await fc.assert(
      fc.asyncProperty(
        documents,
        markups,
        fc.integer({ min: 16, max: 300 }),
        async (source, markup, maxTokens) => {
          const passages = await split(source, markup, maxTokens);
          let end = 0;
          passages.forEach((passage, index) => {
            expect(passage.ordinal).toBe(index);
            expect(passage.text).toBe(source.slice(passage.start, passage.end));
            expect(passage.text).toBe(passage.text.trim());
            expect(source.slice(end, passage.start).trim()).toBe('');
            expect(passage.start).toBeGreaterThanOrEqual(end);
            end = passage.end;
            expect(tokens(embeddedText(passage))).toBeLessThanOrEqual(maxTokens);
            if (!loneSurrogate.test(source)) expect(loneSurrogate.test(passage.text)).toBe(false);
          });
          expect(source.slice(end).trim()).toBe('');
          expect(await split(source, markup, maxTokens)).toEqual(passages);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('change near an edit only', async () => {
    const paragraph = fc
      .array(sentence, { minLength: 1, maxLength: 4 })
      .map((sentences) => sentences.join(' '));
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(paragraph, { minLength: 8, maxLength: 30 }),
        fc.nat(),
        sentence,
        async (paragraphs, place, added) => {
          // Long enough to stand alone: short neighbours are merged, and an edit may change with whom.
          const solid = paragraphs.map((body, index) => `${'fixed words '.repeat(20)}${index} ${body}`);
          const before = await split(solid.join('\n\n'));
          const edited = [...solid];
          edited[1 + (place % (solid.length - 1))] += ` ${added}`;
          const after = new Set((await split(edited.join('\n\n'))).map((passage) => passage.content));
          const touched = await split(solid[1 + (place % (solid.length - 1))]!);
          const lost = before.filter((passage) => !after.has(passage.content));
          expect(lost.length).toBeLessThanOrEqual(touched.length + 1);
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe('passages of a document', () => {
  it('are none for an empty or blank one', async () => {
    expect(await split('')).toEqual([]);
    expect(await split(' \n\n\t\r\n')).toEqual([]);
  });

  it('keep a short document whole, title and all', async () => {
    const faq = 'The Wandering Kettle - FAQ\n\nDogs are welcome.\n\nCats are not.';
    expect(await split(faq)).toMatchObject([{ start: 0, end: faq.length, context: '', text: faq }]);
  });

  it('carry the title and the headings they stand under', async () => {
    const body = (name: string) => `${`${name} text goes on. `.repeat(12).trim()}`;
    const markdown = `# Manual\n\n${body('first')}\n\n## Cleaning\n${body('second')}\n\n### Filters\n\n${body('third')}`;
    const passages = await split(markdown, 'markdown', 200);
    expect(passages.map(({ context, text }) => [context, text.split('\n')[0]])).toEqual([
      ['', '# Manual'],
      ['Manual - Cleaning', '## Cleaning'],
      ['Manual - Cleaning - Filters', '### Filters'],
    ]);
  });

  it('stand under no heading that is over', async () => {
    const body = 'Some words of this section go on and on. '.repeat(6).trim();
    const under = async (headings: readonly string[]) => {
      const passages = await split(
        headings.map((heading) => `${heading}\n\n${body}`).join('\n\n'),
        'markdown',
        100,
      );
      return passages.map(({ context }) => context);
    };
    expect(await under(['# T', '## A', '## B', '### C', '### D', '## E'])).toEqual([
      '',
      ...['T - A', 'T - B', 'T - B - C', 'T - B - D', 'T - E'],
    ]);
    // Depths left out, a second title, and a document that begins deep.
    expect(await under(['# T', '#### A', '## B', '# U', '## V'])).toEqual([
      '',
      ...['T - A', 'T - B', 'T - U', 'T - U - V'],
    ]);
    expect(await under(['### A', '## B', '### C', '# D'])).toEqual(['', 'A - B', 'A - B - C', 'A - D']);
  });

  it.each([
    ['title: Roof repairs', 'Roof repairs'],
    ['title: "Roof: repairs"', 'Roof: repairs'],
    ["id: roof\ntitle: 'Roof'", 'Roof'],
    ['id: roof', ''],
  ])('take their title from front matter: %j', async (matter, title) => {
    const body = 'Some words of this section go on and on. '.repeat(6).trim();
    const passages = await split(`---\n${matter}\n---\n\n${body}\n\n## Tiles\n\n${body}`, 'markdown', 100);
    expect(passages.at(-1)?.context).toBe([title, 'Tiles'].filter(Boolean).join(' - '));
  });

  it.each([
    ['## Tea', 'Tea'],
    ['##\t Tea \t', 'Tea'],
    ['## Tea ##', 'Tea'],
    ['## Tea  #######  ', 'Tea'],
    ['## C#', 'C#'],
    ['## C# ##', 'C#'],
    ['## # Tea', '# Tea'],
    ['## ##', ''],
    ['##Tea', ''],
  ])('stand under a heading as Markdown has it: %j', async (heading, text) => {
    const body = 'Some words of this section go on and on. '.repeat(6).trim();
    const passages = await split(`# T\n\n${body}\n\n${heading}\n\n${body}`, 'markdown', 100);
    expect(passages.at(-1)?.context).toBe(['T', text].filter(Boolean).join(' - '));
  });

  it('do not take a comment in code for a heading', async () => {
    const code = `# Guide\n\nIntro text here.\n\n\`\`\`sh\n# not a heading\n\nrun this\n\`\`\`\n\nThe end of it.`;
    for (const passage of await split(code, 'markdown', 16))
      expect(passage.context).not.toContain('not a heading');
  });

  it('take time in proportion to the text, whatever is in it', async () => {
    const awkward = [
      ' '.repeat(20_000),
      '\t\n'.repeat(20_000),
      '.'.repeat(20_000),
      '。'.repeat(20_000),
      '# '.repeat(20_000),
      '"'.repeat(20_000),
      'x'.repeat(200_000),
      '```\n'.repeat(20_000),
      '\r'.repeat(20_000),
      'a\n\n'.repeat(100_000),
      `${'One line of many.\n'.repeat(100_000)}${'words '.repeat(130)}`,
    ];
    // With anything quadratic this takes minutes.
    for (const markup of ['plain', 'markdown'] as const) {
      for (const run of awkward) await split(`start ${`${run}x`.repeat(3)} end`, markup);
    }
  });

  it('take no longer for what stands in a heading', async () => {
    for (const run of [' ', '\t', '\u2003', '#', ' #', '# ', ' \r', '"', 'x']) {
      const heading = `${run.repeat(20_000)}x`.repeat(3);
      const passages = await split(`# start ${heading} end\n\nSome words.`, 'markdown');
      expect(passages.at(-1)?.text).toContain('Some words.');
    }
  });

  it('name equal texts equally, wherever they stand', async () => {
    const first = await split('Same words.');
    const second = await split('\n\n  Same words.\n');
    expect(second[0]!.content).toBe(first[0]!.content);
    expect(second[0]!.content).toMatch(/^[0-9a-f]{32}$/);
  });
});
