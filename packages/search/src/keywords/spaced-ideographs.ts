/** A letter of a script that is written without spaces and whose letters mean something, with the marks on it. */
const ideograph = String.raw`[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}](?<=[\p{L}\p{N}])\p{M}*`;
const ideographs = new RegExp(ideograph, 'gu');
const neighbours = new RegExp(`(${ideograph})(?=(${ideograph}))`, 'gu');

/**
 * The text with each Chinese or Japanese letter apart; other text as it is. FTS5 takes what stands between spaces for a
 * word: a whole clause of these scripts, which only the same clause would find.
 */
export function spacedIdeographs(text: string): string {
  return text.replace(ideographs, ' $& ');
}

/** The pairs of such letters that stand side by side, spaced: most words of these scripts have two letters. */
export function ideographPairs(text: string): string[] {
  return Array.from(text.matchAll(neighbours), ([, first, second]) => `${first} ${second}`);
}
