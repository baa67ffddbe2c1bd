// The thread that reads PDFs: says when it is ready; then one message in, one message out.
import { parentPort, workerData } from 'node:worker_threads';
import { PdfError } from './errors.js';
import { extractText } from './extract-text.js';
import { limitAllocations } from './limit-allocations.js';
import { loadPdfJs } from './pdfjs.js';
import type { Reply } from './protocol.js';

// On damaged files pdf.js leaves rejections that nobody waits for; what matters of them comes another way.
process.on('unhandledRejection', () => {});

const ready = loadPdfJs().then(
  (pdfjs) => {
    const allocations = limitAllocations(workerData as number);
    parentPort!.postMessage({ ready: true } satisfies Reply);
    return { pdfjs, allocations };
  },
  (error) => ({ failure: `pdf.js can't be loaded: ${error}` }),
);

parentPort!.on('message', async (bytes: Uint8Array) => {
  parentPort!.postMessage(await answer(bytes));
});

async function answer(bytes: Uint8Array): Promise<Reply> {
  const loaded = await ready;
  if ('failure' in loaded) return loaded;
  const { pdfjs, allocations } = loaded;
  allocations.refused = 0;
  const reply = await extractText(pdfjs, bytes).then((result) => ({ result }), errorReply);
  if (allocations.refused === 0) return reply;
  return { error: { code: 'too_large', detail: 'a part of it unpacks to more memory than it may have' } };
}

function errorReply(error: Error): Reply {
  if (error instanceof PdfError) return { error: { code: error.code } };
  if (error.name === 'PasswordException') return { error: { code: 'encrypted' } };
  return { error: { code: 'damaged', detail: error.message.replace(/\.$/, '') } };
}
