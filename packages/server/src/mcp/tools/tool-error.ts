/** A failure that the model can read and act on: one sentence or two, without paths and without a stack. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}
