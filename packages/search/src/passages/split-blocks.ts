import type { Markup } from '../reading/file-types.js';
import { turns } from '../turns.js';

/** A stretch of text that a passage may begin or end with: a sentence, a line, or part of a long one. */
export interface Atom {
  readonly start: number;
  readonly end: number;
}

/** A paragraph, with what it stands under. */
export interface Block {
  readonly atoms: readonly Atom[];
  /** A heading: belongs to what follows, and begins a passage. */
  readonly heading: boolean;
  /** The Markdown headings it stands under, outermost first, the document's title left out. */
  readonly section: readonly string[];
}

export interface BlockedText {
  /** The first line, where it reads like a title. */
  readonly title: string;
  readonly blocks: readonly Block[];
}

interface Heading {
  /** 1 to 6. */
  readonly depth: number;
  readonly text: string;
}

const longestTitle = 150;
/** Longer atoms are cut before they are counted; close to what the smallest models read. */
const longestAtom = 800;
const paragraphGap = /\r?\n[^\S\n]*(?:\r?\n[^\S\n]*)+/g;
/** Where an atom may end: white space, or nothing after a full-width stop. Linear in the text: no run is tried twice. */
const atomGap = /\s+|(?<=[。！？])(?=\S)/g;
const sentenceEnd = /[.!?…。！？]["'”’)\]]{0,3}$/;
const headingMark = /^#{1,6}(?=\s)/;
const codeFence = /^\s*(`{3,}|~{3,})/;

/** Cuts a text into paragraphs and those into atoms. All text that is not white space is in exactly one atom. */
export async function splitBlocks(text: string, markup: Markup): Promise<BlockedText> {
  const blocks: Block[] = [];
  let title = '';
  let section: Heading[] = [];
  let sectioned = false;
  let fenced = false;
  for (const paragraph of paragraphsOf(text, markup)) {
    const body = text.slice(paragraph.start, paragraph.end);
    const line = body.includes('\n') ? body.slice(0, body.indexOf('\n')).trimEnd() : body;
    const markdown = markup === 'markdown' && !fenced ? headingOf(line) : undefined;
    if (markup === 'markdown' && fenceMarks(body) % 2 === 1) fenced = !fenced;
    const first = blocks.length === 0;
    if (first) title = (markup === 'markdown' && frontMatterTitle(body)) || titleOf(markdown?.text ?? line);
    if (markdown) {
      const isTitle: boolean = markdown.text === title && !sectioned;
      // Depths may be left out, and the title's is: what a heading stands under is whatever is less deep.
      section = section.filter(({ depth }) => depth < markdown.depth);
      if (!isTitle) section.push(markdown);
      sectioned ||= !isTitle;
    }
    const heading =
      markdown !== undefined || (markup === 'plain' && !body.includes('\n') && readsLikeHeading(body));
    const atoms: Atom[] = [];
    for (const atom of atomsOf(text, paragraph)) {
      // A long document must not keep the event loop, nor a long paragraph.
      if (turns.isDue) await turns.take();
      atoms.push(atom);
    }
    blocks.push({ atoms, heading, section: section.map(({ text }) => text).filter(Boolean) });
  }
  return { title, blocks };
}

function* paragraphsOf(text: string, markup: Markup): Generator<Atom> {
  let start = 0;
  for (const gap of text.matchAll(paragraphGap)) {
    yield* headingsApart(text, start, gap.index, markup);
    start = gap.index + gap[0].length;
  }
  yield* headingsApart(text, start, text.length, markup);
}

/** A Markdown heading is a paragraph of its own, also without an empty line beside it. */
function* headingsApart(text: string, start: number, end: number, markup: Markup): Generator<Atom> {
  if (markup === 'markdown') {
    for (let line = start; line < end; ) {
      const newline = text.indexOf('\n', line);
      const lineEnd = newline === -1 || newline > end ? end : newline;
      if (headingMark.test(text.slice(line, Math.min(line + 8, lineEnd)))) {
        yield* trimmed(text, start, line);
        yield* trimmed(text, line, lineEnd);
        start = lineEnd;
      }
      line = lineEnd + 1;
    }
  }
  yield* trimmed(text, start, end);
}

function* trimmed(text: string, start: number, end: number): Generator<Atom> {
  const part = text.slice(start, end);
  const from = start + part.length - part.trimStart().length;
  const to = end - (part.length - part.trimEnd().length);
  if (from < to) yield { start: from, end: to };
}

function* atomsOf(text: string, paragraph: Atom): Generator<Atom> {
  const body = text.slice(paragraph.start, paragraph.end);
  let start = 0;
  for (const gap of body.matchAll(atomGap)) {
    const ends = gap[0].includes('\n') || sentenceEnd.test(body.slice(Math.max(0, gap.index - 4), gap.index));
    if (!ends) continue;
    yield* shortAtoms(text, paragraph.start + start, paragraph.start + gap.index);
    start = gap.index + gap[0].length;
  }
  yield* shortAtoms(text, paragraph.start + start, paragraph.end);
}

/** A stretch without white space around it, in pieces where it is long. */
function* shortAtoms(text: string, start: number, end: number): Generator<Atom> {
  for (const atom of trimmed(text, start, end)) yield* cutLong(text, atom);
}

function* cutLong(text: string, atom: Atom): Generator<Atom> {
  if (atom.end - atom.start <= longestAtom) yield atom;
  else for (const half of halve(text, atom)) yield* cutLong(text, half);
}

/**
 * Cuts near the middle: at white space where there is some, else between two code points. Gives the whole back
 * when it is a single code point.
 */
export function halve(text: string, { start, end }: Atom): Atom[] {
  const middle = (start + end) >> 1;
  const reach = Math.min((end - start) >> 2, longestAtom);
  let cut = -1;
  for (let step = 0; step <= reach && cut === -1; step++) {
    if (/\s/.test(text[middle - step]!)) cut = middle - step;
    else if (/\s/.test(text[middle + step]!)) cut = middle + step;
  }
  if (cut === -1) cut = isLowSurrogate(text, middle) ? middle + 1 : middle;
  const halves = [...trimmed(text, start, cut), ...trimmed(text, cut, end)];
  return halves.length === 0 ? [{ start, end }] : halves;
}

function isLowSurrogate(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  return unit >= 0xdc00 && unit <= 0xdfff && index > 0 && (text.charCodeAt(index - 1) & 0xfc00) === 0xd800;
}

/** The title that a document's YAML front matter gives it, as site generators and note takers write it. */
function frontMatterTitle(body: string): string {
  if (!/^---[ \t]*\r?\n/.test(body)) return '';
  const value = /^title:[ \t]*(.*)$/m.exec(body)?.[1]?.trim() ?? '';
  return titleOf(value.replace(/^(["'])(.*)\1$/, '$2'));
}

/** By hand: an expression that leaves out the spaces and marks at the end tries each run of white space anew. */
function headingOf(line: string): Heading | undefined {
  const mark = headingMark.exec(line)?.[0];
  if (mark === undefined) return undefined;
  const text = line.slice(mark.length).trim();
  let end = text.length;
  while (text[end - 1] === '#') end--;
  // Marks that close a heading stand apart from its last word: "# C#" has none.
  const isClosed = end === 0 || /\s/.test(text[end - 1]!);
  return { depth: mark.length, text: isClosed ? text.slice(0, end).trimEnd() : text };
}

function titleOf(line: string): string {
  const plain = line.trim();
  return plain.length <= longestTitle && /\p{L}/u.test(plain) ? plain : '';
}

function readsLikeHeading(body: string): boolean {
  return body.length <= 80 && !/[.!?…:;,"”'’)]$/.test(body) && !/^[-*•\d]/.test(body);
}

function fenceMarks(body: string): number {
  return body.split('\n').filter((line) => codeFence.test(line)).length;
}
