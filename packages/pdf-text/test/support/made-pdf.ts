import PDFDocument from 'pdfkit';

/** A PDF as a common library writes it, with compressed streams. */
export async function madePdf(
  draw: (document: PDFKit.PDFDocument) => void,
  options: PDFKit.PDFDocumentOptions = {},
): Promise<Buffer> {
  const document = new PDFDocument({ size: 'A4', margin: 72, ...options });
  const chunks: Buffer[] = [];
  document.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise((resolve) => document.once('end', resolve));
  draw(document);
  document.end();
  await ended;
  return Buffer.concat(chunks);
}
