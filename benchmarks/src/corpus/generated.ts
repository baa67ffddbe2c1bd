import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Random, randomInteger, seededRandom } from '../random.js';

/** Passages in each generated file, and files in each subfolder. */
const passagesPerFile = 20;
const filesPerFolder = 50;
/** Characters of the longest passage: with its heading it still is one passage for the default model. */
const longest = 360;

export interface GeneratedOptions {
  /** Passages of a real corpus: their sentences are used again, and their lengths. */
  readonly texts: readonly string[];
  /** Passages wanted. */
  readonly size: number;
  readonly seed: number;
}

/**
 * Writes a folder of Markdown files for an index that is to be built end to end: twenty passages a file, each under a
 * heading or the title, fifty files a subfolder. A passage is made of sentences drawn at random from real ones, as many as fit into
 * the length of a real passage drawn at random. All passages differ, so each has to be embedded; the vocabulary stays that of the
 * real corpus. The same seed gives the same files, and a smaller folder is a beginning of a larger one.
 */
export async function writeGeneratedCorpus(directory: string, options: GeneratedOptions): Promise<void> {
  const passages = makePassages(options);
  for (let from = 0, file = 0; from < passages.length; from += passagesPerFile, file++) {
    const folder = join(directory, `part-${number(file / filesPerFolder)}`);
    if (file % filesPerFolder === 0) await mkdir(folder, { recursive: true });
    const sections = passages.slice(from, from + passagesPerFile).map((text, index) => {
      return `${index === 0 ? `Notes ${file + 1}` : `# Entry ${index + 1}`}\n\n${text}\n`;
    });
    await writeFile(join(folder, `notes-${number(file)}.md`), sections.join('\n'));
  }
}

/** The texts alone. */
export function makePassages({ texts, size, seed }: GeneratedOptions): string[] {
  const sentences = sentencesOf(texts);
  const random = seededRandom(seed, 3);
  const made = new Set<string>();
  for (let vain = 0; made.size < size; ) {
    const before = made.size;
    made.add(makePassage(texts, sentences, random));
    vain = made.size > before ? 0 : vain + 1;
    if (vain > 1000) throw tooFew();
  }
  return [...made];
}

function makePassage(texts: readonly string[], sentences: readonly string[], random: Random): string {
  const length = Math.min(longest, texts[randomInteger(random, texts.length)]!.length);
  let text = '';
  for (;;) {
    const longer = [text, sentences[randomInteger(random, sentences.length)]].filter(Boolean).join(' ');
    if (text !== '' && longer.length > length) return text;
    text = longer;
  }
}

/** Those that make a paragraph with others: no list items, table rows or headings. */
function sentencesOf(texts: readonly string[]): string[] {
  const all = texts.flatMap((text) => text.split(/\n+|(?<=[.!?])\s+/));
  const sentences = [...new Set(all)].filter((sentence) => /^\p{L}.{20,300}[.!?]$/u.test(sentence));
  if (sentences.length === 0) throw tooFew();
  return sentences;
}

function tooFew(): RangeError {
  return new RangeError('the corpus has too few sentences to make as many passages from');
}

function number(value: number): string {
  return String(Math.floor(value)).padStart(5, '0');
}
