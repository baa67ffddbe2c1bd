import { expect, it } from 'vitest';
import { connect } from './support/connect.js';
import { FakeApp } from './support/fake-app.js';

it('knows a document by either form of its accents, whichever the file has', async () => {
  const app = new FakeApp();
  const [composed, apart] = ['cafés/menü.txt'.normalize('NFC'), 'cafés/menü.txt'.normalize('NFD')];
  for (const [held, asked] of [
    [composed, apart],
    [apart, composed],
  ] as const) {
    app.documents.clear();
    app.documents.set(held, 'Tea.').set('other/x.txt', 'x');
    const searched: unknown[] = [];
    app.search = async (_, options) => {
      searched.push(options?.documents);
      return [];
    };
    const fake = await connect(app);
    const folder = `${asked.split('/')[0]}/`;
    await fake.callTool({ name: 'search', arguments: { query: 'tea', documents: [asked] } });
    await fake.callTool({ name: 'search', arguments: { query: 'tea', documents: [folder] } });
    await fake.getPrompt({ name: 'answer_from_documents', arguments: { question: 'tea', document: asked } });
    expect(searched).toEqual([[held], [`${held.split('/')[0]}/`], [held]]);
    const { completion } = await fake.complete({
      ref: { type: 'ref/prompt', name: 'answer_from_documents' },
      argument: { name: 'document', value: asked.slice(0, -4) },
    });
    expect(completion.values).toEqual([held]);
    await fake.close();
  }
});

it('has no longer question in the prompt than in a search', async () => {
  const fake = await connect(new FakeApp());
  const ask = (question: string) =>
    fake.getPrompt({ name: 'answer_from_documents', arguments: { question } });
  await expect(ask('d'.repeat(10_000))).resolves.toBeDefined();
  await expect(
    fake.getPrompt({
      name: 'answer_from_documents',
      arguments: { question: 'tea', document: null as never },
    }),
  ).resolves.toBeDefined();
  await expect(fake.getPrompt({ name: 'answer_from_documents', arguments: null as never })).rejects.toThrow(
    '"question" must be a text',
  );
  await expect(ask('d'.repeat(10_001))).rejects.toThrow('at most 10000 characters');
  await fake.close();
});

it('writes a name that has a line feed on one line', async () => {
  const app = new FakeApp();
  const name = 'two\nlines.txt';
  app.documents.set(name, 'Tea.');
  app.search = async () => [
    {
      rank: 1,
      document: name,
      passage: 'Tea.',
      start: 0,
      end: 4,
      ordinal: 0,
      distance: 0.5,
      mimeType: 'text/plain',
    },
  ];
  const fake = await connect(app);
  const listed = await fake.callTool({ name: 'list_documents', arguments: {} });
  expect(listed.content).toEqual([{ type: 'text', text: 'a.txt\ntwo\\nlines.txt' }]);
  expect(listed.structuredContent).toMatchObject({ documents: [{ name: 'a.txt' }, { name }] });
  const found = await fake.callTool({ name: 'search', arguments: { query: 'tea' } });
  expect((found.content as { text: string }[])[0]?.text).toContain('source: two\\nlines.txt (distance');
  expect(found.structuredContent).toMatchObject({ results: [{ source: name }] });
  await fake.close();
});
