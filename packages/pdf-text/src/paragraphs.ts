import type { Line } from './lines.js';

/** Lines further apart than this many times their height have nothing to do with one another. */
const farApart = 2.6;
/** A paragraph begins where lines are this many times further apart than the closest ones around. */
const paragraphGap = 1.3;

/** Longer than any word that a line ends with. */
const longestWord = 100;

const listItem = /^(?:[•◦▪‣·●○■□*–—-]|\(?\d{1,3}[.)]|\(?[A-Za-z][.)])\s/u;
const brokenWord = /(\p{L}[\p{L}\p{M}]*)[-\u2010]$/u;
const restOfWord = /^\p{Ll}[\p{L}\p{M}]*/u;
/** Scripts that put no space between words. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uffef]/u;

/** From the beginning of a word only: to try each of its letters takes minutes in a long line without spaces. */
const compoundWord = /(?<!\p{L}\p{M}*)\p{L}[\p{L}\p{M}]*[-\u2010]\p{L}[\p{L}\p{M}]*/gu;

/** All words with a hyphen inside: such a word keeps its hyphen where a line ends with it. */
export function compoundsOf(lines: readonly Line[]): ReadonlySet<string> {
  const compounds = new Set<string>();
  for (const { text } of lines) {
    for (const [word] of text.matchAll(compoundWord)) {
      compounds.add(fold(word));
    }
  }
  return compounds;
}

/**
 * The text of a page. Lines are joined only where it is plain that the page's width broke them: where the next
 * line's first word had no room any more. Paragraphs and columns are divided by an empty line.
 */
export function joinLines(lines: readonly Line[], compounds: ReadonlySet<string>): string {
  return blocksOf(lines)
    .map((block) => joinBlock(block, compounds))
    .join('\n\n');
}

/** Runs of lines that stand below one another, in letters of one size. */
function blocksOf(lines: readonly Line[]): Line[][] {
  const blocks: Line[][] = [];
  for (const line of lines) {
    const block = blocks.at(-1);
    if (block !== undefined && isBelow(line, block.at(-1)!)) block.push(line);
    else blocks.push([line]);
  }
  return blocks;
}

function isBelow(line: Line, before: Line): boolean {
  // Of turned lines only their order is known.
  if (!line.level || !before.level) return line.level === before.level;
  const gap = line.base - before.base;
  const [small, large] = [Math.min(line.height, before.height), Math.max(line.height, before.height)];
  return (
    line.rtl === before.rtl &&
    large <= small * 1.1 &&
    gap > 0 &&
    gap <= large * farApart &&
    line.left < before.right &&
    before.left < line.right
  );
}

function joinBlock(block: readonly Line[], compounds: ReadonlySet<string>): string {
  const left = Math.min(...block.map((line) => line.left));
  const right = Math.max(...block.map((line) => line.right));
  const closest = Math.min(...block.slice(1).map((line, index) => line.base - block[index]!.base));
  let text = '';
  for (const [index, line] of block.entries()) {
    const before = block[index - 1];
    if (before === undefined) text = line.text;
    else if (!line.level) text += `\n${line.text}`;
    else if (line.base - before.base > closest * paragraphGap) text += `\n\n${line.text}`;
    else {
      const room = line.rtl ? before.left - left : right - before.right;
      text = join(text, line, room, compounds);
    }
  }
  return text;
}

function join(text: string, line: Line, room: number, compounds: ReadonlySet<string>): string {
  const start = brokenWord.exec(text.slice(-longestWord))?.[1];
  const rest = restOfWord.exec(line.text)?.[0];
  if (start !== undefined && rest !== undefined) {
    return (compounds.has(fold(`${start}-${rest}`)) ? text : text.slice(0, -1)) + line.text;
  }
  if (listItem.test(line.text) || room >= widthOfFirstWord(line)) return `${text}\n${line.text}`;
  const tight = start !== undefined || (unspaced.test(text.at(-1)!) && unspaced.test(line.text[0]!));
  return tight ? text + line.text : `${text} ${line.text}`;
}

/** Rather more than it takes, with the spaces around it: letters differ in width, and only their sum is known. */
function widthOfFirstWord({ text, left, right, height }: Line): number {
  const space = text.indexOf(' ');
  const letters = unspaced.test(text[0]!) ? 1 : space < 0 ? text.length : space;
  return (((right - left) * letters) / text.length) * 1.1 + height / 2;
}

function fold(word: string): string {
  return word.replace('\u2010', '-').toLowerCase();
}
