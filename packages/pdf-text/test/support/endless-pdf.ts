import { helvetica, type PdfObject, rawPdf, stream } from './raw-pdf.js';

/** Forms that draw the next one ten times, down to a word: it would be drawn 10^12 times. */
export function endlessPdf(): Buffer {
  const first = 6;
  const depth = 12;
  const forms: PdfObject[] = Array.from({ length: depth }, (_, level) =>
    stream(
      level === depth - 1 ? 'BT /F1 10 Tf 50 700 Td (word) Tj ET' : '/X Do '.repeat(10),
      `/Type/XObject/Subtype/Form/BBox[0 0 595 842]/Resources<</Font<</F1 5 0 R>>/XObject<</X ${first + level + 1} 0 R>>>>`,
    ),
  );
  return rawPdf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</XObject<</X ${first} 0 R>>>>>>`,
    stream('/X Do'),
    helvetica,
    ...forms,
  ]);
}
