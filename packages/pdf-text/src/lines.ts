import type { TextItem } from './pdfjs.js';

/** A line of text on a page. Lengths are points of the page as it is shown, from its upper left corner. */
export interface Line {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  /** Where its letters stand. */
  readonly base: number;
  /** Of its largest letters. */
  readonly height: number;
  /** Runs from the right to the left. */
  readonly rtl: boolean;
  /** Is neither turned nor upright: only then the lengths mean something. */
  readonly level: boolean;
}

/** Control characters, lone surrogates, and characters whose meaning only one font knows. */
const noText = /[\p{Cc}\p{Cs}\p{Co}]/gu;

/** The lines of a page in the order in which the page draws them; `view` turns the page as it is shown. */
export function linesOf(items: readonly TextItem[], view: readonly number[]): Line[] {
  const lines: Line[] = [];
  let row: TextItem[] = [];
  const finish = () => {
    const line = lineOf(row, view);
    row = [];
    if (line === undefined) return;
    const before = lines.at(-1);
    if (before !== undefined && isSameRow(before, line)) lines.splice(-1, 1, append(before, line));
    else lines.push(line);
  };
  for (const item of items) {
    row.push(item);
    if (item.hasEOL) finish();
  }
  finish();
  return lines;
}

function lineOf(row: readonly TextItem[], view: readonly number[]): Line | undefined {
  const text = cleanText(
    inReadingOrder(row)
      .map((item) => item.str)
      .join(''),
  );
  if (text === '') return undefined;
  let [left, right, base, height] = [Infinity, -Infinity, 0, 0];
  let level = true;
  for (const item of row) {
    if (item.str.trim() === '') continue;
    const [a, b, , , x, y] = place(view, item.transform);
    left = Math.min(left, x);
    right = Math.max(right, x + item.width);
    level &&= a > 0 && Math.abs(b) < a / 100 && item.dir !== 'ttb';
    if (item.height > height) [base, height] = [y, item.height];
  }
  return { text, left, right, base, height, level, rtl: row.some((item) => item.dir === 'rtl') };
}

/** Many programs draw words that run from the right from the left nevertheless. */
function inReadingOrder(row: readonly TextItem[]): readonly TextItem[] {
  const fromRight = (item: TextItem) => item.dir === 'rtl';
  let [first, last] = [row.findIndex(fromRight), row.findLastIndex(fromRight)];
  if (first < 0) return row;
  // A line that runs from the right as a whole, or some words in it?
  const isWord = (item: TextItem) => /\p{L}/u.test(item.str);
  if (row.every((item) => fromRight(item) || !isWord(item))) {
    const shown = (item: TextItem) => item.str.trim() !== '';
    [first, last] = [row.findIndex(shown), row.findLastIndex(shown)];
  }
  if (row[first]!.transform[4]! >= row[last]!.transform[4]!) return row;
  return [...row.slice(0, first), ...row.slice(first, last + 1).reverse(), ...row.slice(last + 1)];
}

function cleanText(text: string): string {
  return text.replace(/\s+/g, ' ').replace(noText, '').trim();
}

/** The product of two transformations: first `item`'s, then `view`'s. */
function place(view: readonly number[], item: readonly number[]) {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = view;
  const [ia = 1, ib = 0, ic = 0, id = 1, ie = 0, iff = 0] = item;
  return [
    a * ia + c * ib,
    b * ia + d * ib,
    a * ic + c * id,
    b * ic + d * id,
    a * ie + c * iff + e,
    b * ie + d * iff + f,
  ] as const;
}

/** Raised and lowered letters, such as those of footnotes, are drawn as lines of their own. */
function isSameRow(before: Line, line: Line): boolean {
  if (!before.level || !line.level || before.rtl || line.rtl) return false;
  const height = Math.max(before.height, line.height);
  const space = line.left - before.right;
  return Math.abs(line.base - before.base) < height * 0.6 && space > -height * 0.2 && space < height;
}

function append(before: Line, line: Line): Line {
  const taller = line.height > before.height ? line : before;
  const space = line.left - before.right > taller.height * 0.15 ? ' ' : '';
  return {
    ...taller,
    text: before.text + space + line.text,
    left: before.left,
    right: Math.max(before.right, line.right),
  };
}
