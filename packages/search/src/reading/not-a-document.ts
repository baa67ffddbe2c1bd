/** The file is there, but is no document; `message` says why. */
export class NotADocument extends Error {
  override readonly name = 'NotADocument';
}
