import type { SearchHit } from '@kettle/search';

/** Passages for a model to read, each under the document it comes from. */
export function passagesAsText(hits: readonly SearchHit[]): string {
  return hits
    .map(
      ({ rank, document, distance, passage }) =>
        `[${rank}] source: ${document} (distance: ${distance.toFixed(2)})\npassage: \n${passage}`,
    )
    .join('\n\n');
}
