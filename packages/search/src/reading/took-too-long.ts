/** Reading the file was given up. The machine may have been busy, so it is no verdict on the file. */
export class TookTooLong extends Error {
  override readonly name = 'TookTooLong';
}
