import { createHash } from 'node:crypto';
import type { Embedder } from '@kettle/embedder';
import type { Markup } from '../reading/file-types.js';
import { turns } from '../turns.js';
import { type Atom, type Block, halve, splitBlocks } from './split-blocks.js';

/** A stretch of a document that is embedded and found as one. */
export interface Passage {
  /** From 0, in the order of the text. */
  readonly ordinal: number;
  /** UTF-16 offsets in the document's text. */
  readonly start: number;
  readonly end: number;
  /** The headings it stands under, on one line; empty where the passage holds them itself. */
  readonly context: string;
  /** `text.slice(start, end)`. */
  readonly text: string;
  /** Names the embedded text: the first 32 hex digits of its SHA-256. Equal texts share one vector. */
  readonly content: string;
}

/** Raised whenever the rules below give other passages, so that documents are split again. */
export const splitterVersion = 3;

/** Paragraphs are merged until they have this many tokens. */
const enoughTokens = 30;
/** Paragraphs longer than this are split, even where the model reads more: one vector holds only so much. */
const mostTokens = 120;

/** Texts that the model's thread counts at a time: queries come in between. */
const countedAtOnce = 1000;

/** What goes through the model, and what a hit shows. */
export function embeddedText(passage: { readonly context: string; readonly text: string }): string {
  return passage.context === '' ? passage.text : `${passage.context}\n\n${passage.text}`;
}

export function contentId(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

interface Piece extends Atom {
  readonly tokens: number;
  readonly heading: boolean;
  readonly context: string;
}

/**
 * Splits a text into passages that keep paragraphs together, follow one another without overlap, hold all text
 * that is not white space, and are no longer than the model reads. The same text always gives the same passages,
 * and an edit changes the passages around it, not those far away: nothing depends on what stands further up
 * than the last paragraph of more than 30 tokens.
 */
export async function splitPassages(
  text: string,
  markup: Markup,
  embedder: Pick<Embedder, 'countTokens' | 'maxTokens'>,
  signal?: AbortSignal,
): Promise<Passage[]> {
  const { title, blocks } = await splitBlocks(text, markup);
  if (blocks.length === 0) return [];
  const sizes = new TokenSizes(text, embedder, signal);
  await sizes.add(blocks.flatMap((block) => block.atoms));
  const contexts = await contextsOf(title, blocks, sizes, Math.min(mostTokens, embedder.maxTokens) / 4);
  const longest = contexts.reduce((most, context) => Math.max(most, sizes.ofContext(context)), 0);
  const most = Math.min(mostTokens, embedder.maxTokens - longest);

  const pieces: Piece[] = [];
  for (const [index, block] of blocks.entries()) {
    const atoms = await sizes.within(block.atoms, most);
    const context = contexts[index]!;
    for (const run of balancedRuns(atoms, sizes, most)) {
      if (turns.isDue) await turns.take();
      pieces.push({ ...run, heading: block.heading && atoms.length === 1, context });
    }
  }
  const merged = merge(pieces, most);
  const passages: Passage[] = [];
  for (const piece of await fit(text, merged, embedder, signal)) {
    if (turns.isDue) await turns.take();
    passages.push(passageOf(text, piece, passages.length, title));
  }
  return passages;
}

/** Token counts of stretches of one text, each counted once. */
class TokenSizes {
  readonly #text: string;
  readonly #embedder: Pick<Embedder, 'countTokens'>;
  readonly #signal: AbortSignal | undefined;
  readonly #atoms = new Map<number, number>();
  readonly #contexts = new Map<string, number>([['', 0]]);

  constructor(text: string, embedder: Pick<Embedder, 'countTokens'>, signal?: AbortSignal) {
    this.#text = text;
    this.#embedder = embedder;
    this.#signal = signal;
  }

  of(atom: Atom): number {
    return this.#atoms.get(atom.start)!;
  }

  ofContext(context: string): number {
    return this.#contexts.get(context)!;
  }

  async add(atoms: readonly Atom[]): Promise<void> {
    for (let from = 0; from < atoms.length; from += countedAtOnce) {
      const some = atoms.slice(from, from + countedAtOnce);
      const counts = await this.#count(some.map((atom) => this.#text.slice(atom.start, atom.end)));
      some.forEach((atom, index) => {
        this.#atoms.set(atom.start, counts[index]!);
      });
    }
  }

  async addContexts(contexts: readonly string[]): Promise<void> {
    const fresh = [...new Set(contexts)].filter((context) => !this.#contexts.has(context));
    for (let from = 0; from < fresh.length; from += countedAtOnce) {
      const some = fresh.slice(from, from + countedAtOnce);
      const counts = await this.#count(some);
      some.forEach((context, index) => {
        this.#contexts.set(context, counts[index]!);
      });
    }
  }

  /** The atoms, those above `most` tokens halved until they are not. */
  async within(atoms: readonly Atom[], most: number): Promise<readonly Atom[]> {
    let current = atoms;
    while (current.some((atom) => this.of(atom) > most && canHalve(this.#text, atom))) {
      const cut: Atom[] = [];
      const next = current.flatMap((atom) => {
        if (this.of(atom) <= most) return [atom];
        const halves = halve(this.#text, atom);
        cut.push(...halves);
        return halves;
      });
      await this.add(cut);
      current = next;
    }
    return current;
  }

  async #count(texts: readonly string[]): Promise<number[]> {
    if (texts.length === 0) return [];
    return this.#embedder.countTokens(texts, { signal: this.#signal });
  }
}

function canHalve(text: string, atom: Atom): boolean {
  return halve(text, atom).length > 1;
}

/** One line for each block: title and headings, as far as they leave the passage most of the room. */
async function contextsOf(
  title: string,
  blocks: readonly Block[],
  sizes: TokenSizes,
  most: number,
): Promise<string[]> {
  const wanted = blocks.map((block) => [title, ...block.section].filter(Boolean).join(' - '));
  await sizes.addContexts([...wanted, title]);
  return wanted.map((context) => {
    if (sizes.ofContext(context) <= most) return context;
    return sizes.ofContext(title) <= most ? title : '';
  });
}

/** A paragraph in runs of whole atoms, none above `most` tokens, about equally long. */
function* balancedRuns(
  atoms: readonly Atom[],
  sizes: TokenSizes,
  most: number,
): Generator<Atom & { tokens: number }> {
  const total = atoms.reduce((sum, atom) => sum + sizes.of(atom), 0);
  const share = total / Math.ceil(total / most);
  let run: (Atom & { tokens: number }) | undefined;
  for (const atom of atoms) {
    const tokens = sizes.of(atom);
    if (run !== undefined && (run.tokens + tokens > most || run.tokens + tokens / 2 > share)) {
      yield run;
      run = undefined;
    }
    run =
      run === undefined
        ? { ...atom, tokens }
        : { start: run.start, end: atom.end, tokens: run.tokens + tokens };
  }
  if (run !== undefined) yield run;
}

/** Joins pieces that are too short to stand alone with what follows; a heading always goes with what follows. */
function merge(pieces: readonly Piece[], most: number): Piece[] {
  const merged: Piece[] = [];
  let current: Piece | undefined;
  for (const piece of pieces) {
    const open = current !== undefined && (current.heading || current.tokens < enoughTokens);
    const related = current?.context === piece.context || current?.heading === true;
    if (
      current !== undefined &&
      open &&
      related &&
      !(piece.heading && !current.heading) &&
      current.tokens + piece.tokens <= most
    ) {
      current = { ...piece, start: current.start, tokens: current.tokens + piece.tokens };
    } else {
      if (current !== undefined) merged.push(current);
      current = piece;
    }
  }
  if (current !== undefined) merged.push(current);
  return merged;
}

/** Sums of atoms only estimate: a passage that is still too long for the model, context and all, is halved. */
async function fit(
  text: string,
  pieces: readonly Piece[],
  embedder: Pick<Embedder, 'countTokens' | 'maxTokens'>,
  signal: AbortSignal | undefined,
): Promise<readonly Piece[]> {
  const next: Piece[] = [];
  for (let from = 0; from < pieces.length; from += countedAtOnce) {
    const some = pieces.slice(from, from + countedAtOnce);
    const bodies = some.map(({ context, start, end }) =>
      embeddedText({ context, text: text.slice(start, end) }),
    );
    const counts = await embedder.countTokens(bodies, { signal });
    for (const [index, piece] of some.entries()) {
      if (counts[index]! <= embedder.maxTokens || !canHalve(text, piece)) next.push(piece);
      else next.push(...halve(text, piece).map((half) => ({ ...piece, ...half })));
    }
  }
  return next.length === pieces.length ? next : fit(text, next, embedder, signal);
}

function passageOf(text: string, piece: Piece, ordinal: number, title: string): Passage {
  const body = text.slice(piece.start, piece.end);
  // The passage that begins with the title, or with the heading itself, needs no second one in front.
  const own = ordinal === 0 || (title === piece.context && body.startsWith(title));
  const context = own ? '' : piece.context;
  const content = contentId(embeddedText({ context, text: body }));
  return { ordinal, start: piece.start, end: piece.end, context, text: body, content };
}
