import type { SearchHit } from '@kettle/search';

/** A name as it stands in a line of text: a file's may hold a line feed, which would begin another line. */
export function onOneLine(name: string): string {
  return name.replace(/\p{Cc}/gu, (character) => JSON.stringify(character).slice(1, -1));
}

/** Passages for a model to read, each under the document it comes from. */
export function passagesAsText(hits: readonly SearchHit[]): string {
  return hits
    .map(
      ({ rank, document, distance, passage }) =>
        `[${rank}] source: ${onOneLine(document)} (distance: ${distance.toFixed(2)})\npassage: \n${passage}`,
    )
    .join('\n\n');
}
