import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Workspace } from './support/workspace.js';

let workspace: Workspace;
beforeEach(async () => {
  workspace = await Workspace.create();
  const documents = {
    'ja/抹茶.txt': '本日のお茶は宇治の抹茶です。砂糖は要りません。',
    'ja/犬.txt': 'テラス席では犬を連れて入れます。お水も出します。',
    'ja/ラーメン.txt': 'ラーメンは十一時から。売り切れたら終わりです。',
    'zh/营业时间.txt': '本店营业时间为上午九点至下午六点,周一休息。',
    'zh/野.txt': '𠮷野家在车站旁边。',
    'mixed.txt': 'The 抹茶 latte (E07-3) costs 4.50.',
    'ko.txt': '강아지와 함께 들어올 수 있습니다.',
  };
  for (const [name, text] of Object.entries(documents)) await workspace.write(name, text);
});
afterEach(async () => {
  await workspace.remove();
});

async function found(query: string): Promise<string[]> {
  const index = await workspace.openReady({ mode: 'keyword' });
  const hits = await index.search(query);
  await index.close();
  return hits.map(({ document }) => document);
}

describe('Chinese and Japanese, which put no spaces between words', () => {
  it.each([
    ['抹茶', ['mixed.txt', 'ja/抹茶.txt']],
    ['犬', ['ja/犬.txt']],
    ['犬と入れますか', ['ja/犬.txt']],
    ['ラーメン', ['ja/ラーメン.txt']],
    ['营业时间', ['zh/营业时间.txt']],
    ['几点营业?', ['zh/营业时间.txt']],
    ['𠮷野家', ['zh/野.txt']],
    ['抹茶latte', ['mixed.txt', 'ja/抹茶.txt']],
    ['E07-3', ['mixed.txt']],
    ['강아지와', ['ko.txt']],
  ])('%s finds first %j', async (query, documents) => {
    expect((await found(query)).slice(0, documents.length)).toEqual(documents);
  });

  it('letters side by side count more than the same letters apart', async () => {
    await workspace.write('apart.txt', '茶を抹にする。抹は茶。');
    const order = await found('抹茶');
    expect(order).toHaveLength(3);
    expect(order.at(-1)).toBe('apart.txt');
  });

  it('words go with their document', async () => {
    const index = await workspace.openReady({ mode: 'keyword' });
    expect(await index.search('犬')).toHaveLength(1);
    await workspace.write('ja/犬.txt', '猫だけです。');
    await index.sync();
    expect(await index.search('犬')).toEqual([]);
    expect(await index.search('猫')).toHaveLength(1);
    await index.close();
  });
});
