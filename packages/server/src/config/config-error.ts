/** A setting that Kettle can't start with. The message is one line for the person who set it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly code = 'bad_config';
}
