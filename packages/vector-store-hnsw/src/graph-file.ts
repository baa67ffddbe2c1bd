import type { FileHandle } from 'node:fs/promises';

// The file begins with hnswlib's own fields, in the byte order of the machine: offsetLevel0, max_elements,
// cur_element_count, size_data_per_element, label_offset, offsetData (8 bytes each), maxlevel, enterpoint (4 each),
// maxM, maxM0, M, mult, ef_construction (8 each). Then come the elements of the lowest layer, and for each
// element the length (4 bytes) and the links of its upper layers.
const headerSize = 96;
const countOffset = 16;
const elementSizeOffset = 24;
const chunkSize = 1 << 20;

/**
 * Whether a file that hnswlib wrote holds all that its header announces. hnswlib checks no write, so on a full
 * disk it "succeeds" with a file cut short.
 */
export async function isWhole(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  const header = Buffer.alloc(headerSize);
  if ((await file.read(header, 0, headerSize, 0)).bytesRead < headerSize) return false;
  const count = Number(header.readBigUInt64LE(countOffset));
  let position = headerSize + count * Number(header.readBigUInt64LE(elementSizeOffset));

  const chunk = Buffer.alloc(chunkSize);
  let chunkStart = 0;
  let chunkEnd = 0;
  for (let element = 0; element < count; element++) {
    if (position + 4 > chunkEnd) {
      const { bytesRead } = await file.read(chunk, 0, chunkSize, position);
      if (bytesRead < 4) return false;
      chunkStart = position;
      chunkEnd = position + bytesRead;
    }
    position += 4 + chunk.readUInt32LE(position - chunkStart);
  }
  return position === size;
}
