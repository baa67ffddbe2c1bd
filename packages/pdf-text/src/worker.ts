// The thread that reads PDFs: one message in, one message out.
import { parentPort, workerData } from 'node:worker_threads';
import { PdfError } from './errors.js';
import { extractText } from './extract-text.js';
import { limitAllocations } from './limit-allocations.js';
import { loadPdfJs } from './pdfjs.js';
import type { Reply } from './protocol.js';

// On damaged files pdf.js leaves rejections that nobody waits for; what matters of them comes another way.
process.on('unhandledRejection', () => {});

const pdfjs = loadPdfJs().then((loaded) => {
  limitAllocations(workerData as number);
  return loaded;
});

parentPort!.on('message', async (bytes: Uint8Array) => {
  parentPort!.postMessage(await answer(bytes));
});

async function answer(bytes: Uint8Array): Promise<Reply> {
  try {
    return { result: await extractText(await pdfjs, bytes) };
  } catch (error) {
    if (error instanceof PdfError) return { error: { code: error.code } };
    const { name, message } = error as Error;
    if (name === 'PasswordException') return { error: { code: 'encrypted' } };
    return { error: { code: 'damaged', detail: message.replace(/\.$/, '') } };
  }
}
