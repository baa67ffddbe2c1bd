import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ModelLocation } from './model-location.js';
import type { ModelProfile } from './profile.js';

/**
 * Hex sha256 over everything that decides a model's vectors: its id, the bytes of network and tokenizer, and how
 * it is used. The same on every machine, wherever the files lie.
 */
export async function fingerprintOf(
  model: string,
  location: ModelLocation,
  profile: ModelProfile,
): Promise<string> {
  const [network, tokenizer, tokenizerConfig] = await Promise.all([
    hashFile(location.network),
    hashFile(path.join(location.directory, 'tokenizer.json')),
    hashFile(path.join(location.directory, 'tokenizer_config.json')),
  ]);
  const { pooling, queryPrefix, passagePrefix, maxInputTokens } = profile;
  const parts = [
    model,
    network,
    tokenizer,
    tokenizerConfig,
    pooling,
    queryPrefix,
    passagePrefix,
    maxInputTokens,
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** Hex sha256 of a file of any size. */
export async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
}
