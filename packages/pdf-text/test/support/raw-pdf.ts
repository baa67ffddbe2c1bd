import { deflateSync } from 'node:zlib';

/** An object of a PDF: its dictionary, and what stands in its stream. */
export type PdfObject = string | { readonly dictionary: string; readonly stream: Uint8Array };

/** A PDF of these objects, numbered from 1; the first is the catalog. */
export function rawPdf(objects: readonly PdfObject[]): Buffer {
  const parts = [Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'latin1')];
  const offsets: number[] = [];
  let length = parts[0]!.length;
  const add = (part: Uint8Array | string) => {
    const bytes = Buffer.from(part as string);
    parts.push(bytes);
    length += bytes.length;
  };
  for (const [index, object] of objects.entries()) {
    offsets.push(length);
    add(`${index + 1} 0 obj\n`);
    if (typeof object === 'string') add(object);
    else {
      add(`<<${object.dictionary}/Length ${object.stream.length}>>\nstream\n`);
      add(object.stream);
      add('\nendstream');
    }
    add('\nendobj\n');
  }
  const start = length;
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  add(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`);
  add(`trailer\n<</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${start}\n%%EOF\n`);
  return Buffer.concat(parts);
}

export function stream(content: string | Uint8Array, dictionary = ''): PdfObject {
  const bytes = typeof content === 'string' ? Buffer.from(content, 'latin1') : content;
  return { dictionary: `/Filter/FlateDecode${dictionary}`, stream: deflateSync(bytes, { level: 9 }) };
}

/** One page; object 4 is its content, what follows are `more`, from object 5 on. `resources` names them. */
export function onePage(
  content: string | Uint8Array,
  resources: string,
  more: readonly PdfObject[],
  page = '',
): Buffer {
  return rawPdf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<<${resources}>>${page}>>`,
    stream(content),
    ...more,
  ]);
}

export const helvetica = '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>';

/** One page of lines in Helvetica, each with its place and size; what it says is Latin-1. */
export function linesPdf(
  lines: readonly { x: number; y: number; text: string; size?: number }[],
  page = '',
): Buffer {
  const content = lines
    .map(({ x, y, text, size = 10 }) => {
      const escaped = text.replace(/[\\()]/g, '\\$&');
      return `BT /F1 ${size} Tf 1 0 0 1 ${x} ${y} Tm (${escaped}) Tj ET`;
    })
    .join('\n');
  return onePage(content, '/Font<</F1 5 0 R>>', [helvetica], page);
}

/** One line in a font that says by a map of its own which code means which UTF-16 code units. */
export function mappedPdf(characters: readonly string[]): Buffer {
  const hex = (text: string) => [...text.split('')].map((unit) => code(unit.charCodeAt(0))).join('');
  const map = characters.map((character, index) => `<${code(index + 1)}> <${hex(character)}>`);
  const content = characters.map((_, index) => code(index + 1)).join('');
  return onePage(`BT /F1 10 Tf 1 0 0 1 50 700 Tm <${content}> Tj ET`, '/Font<</F1 5 0 R>>', [
    '<</Type/Font/Subtype/Type0/BaseFont/Any/Encoding/Identity-H/DescendantFonts[6 0 R]/ToUnicode 7 0 R>>',
    '<</Type/Font/Subtype/CIDFontType2/BaseFont/Any/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/DW 600/FontDescriptor 8 0 R>>',
    stream(
      `/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <0000> <ffff> endcodespacerange\n${map.length} beginbfchar\n${map.join('\n')}\nendbfchar endcmap end`,
    ),
    descriptor,
  ]);
}

/** One line in a font that is not embedded, with a character map that every reader of PDFs knows. */
export function predefinedMapPdf(map: string, ordering: string, text: Uint8Array): Buffer {
  return onePage(
    `BT /F1 10 Tf 1 0 0 1 50 700 Tm <${Buffer.from(text).toString('hex')}> Tj ET`,
    '/Font<</F1 5 0 R>>',
    [
      `<</Type/Font/Subtype/Type0/BaseFont/Any/Encoding/${map}/DescendantFonts[6 0 R]>>`,
      `<</Type/Font/Subtype/CIDFontType0/BaseFont/Any/CIDSystemInfo<</Registry(Adobe)/Ordering(${ordering})/Supplement 2>>/DW 1000/FontDescriptor 7 0 R>>`,
      descriptor,
    ],
  );
}

const descriptor =
  '<</Type/FontDescriptor/FontName/Any/Flags 4/FontBBox[0 0 1000 1000]/ItalicAngle 0/Ascent 800/Descent -200/StemV 80>>';

function code(number: number): string {
  return number.toString(16).padStart(4, '0');
}
