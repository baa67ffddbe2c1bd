/**
 * The caller asked for something that can't be given. The message goes out as it is: a sentence or two that help a
 * model to do better, without paths.
 */
export class CallerError extends Error {
  override readonly name = 'CallerError';
}
