import { type IndexSummary, inspectIndexes, type UnreadableIndex } from '@kettle/search';
import { corpusOf } from '../app.js';
import { ageAsText, bytesAsText, counted } from '../text.js';
import type { CommandContext } from './command-context.js';

/** `kettle status`: what the index folder holds. Reads only, and loads no model. */
export async function runStatus({ config }: CommandContext, json: boolean): Promise<number> {
  const corpus = await corpusOf(config);
  const indexes = await inspectIndexes(config.indexDirectory);
  const settings = {
    corpus: { name: corpus.name, directory: corpus.directory },
    indexDirectory: config.indexDirectory,
    model: config.model,
    backend: config.backend,
    searchMode: config.searchMode,
  };
  process.stdout.write(
    json ? `${JSON.stringify({ settings, indexes }, undefined, 2)}\n` : asText(settings, indexes),
  );
  return 0;
}

interface Settings {
  readonly corpus: { readonly name: string; readonly directory: string };
  readonly indexDirectory: string;
  readonly model: string;
  readonly backend: string;
}

function asText(settings: Settings, indexes: readonly (IndexSummary | UnreadableIndex)[]): string {
  const { corpus, model, backend, indexDirectory } = settings;
  const head = [
    `corpus   ${corpus.name}, ${corpus.directory}`,
    `model    ${model}`,
    `backend  ${backend}`,
    `indexes  ${indexDirectory}`,
  ];
  const bodies =
    indexes.length === 0
      ? ['Nothing is indexed yet: run `kettle index`, or start the server.']
      : indexes.map((index) => ('problem' in index ? `${index.problem}. ${index.remedy}` : describe(index)));
  return `${head.join('\n')}\n\n${bodies.join('\n\n')}\n`;
}

function describe(index: IndexSummary): string {
  const lines = [
    `${index.model} (${index.dimensions} dimensions), ${bytesAsText(index.bytes)} on disk`,
    `  ${counted(index.documents, 'document')}, ${counted(index.passages, 'passage')}, ${counted(index.vectors, 'distinct vector')}`,
    `  ${freshness(index)}`,
    ...index.stores.map(
      ({ backend, level, savedAt }) =>
        `  ${backend}: ${level ? 'up to date' : 'behind; it catches up at the next start'}, saved ${ageAsText(savedAt)}`,
    ),
  ];
  if (index.inUse) lines.push('  a process has it open for writing right now');
  return lines.join('\n');
}

function freshness({ lastSyncAt }: IndexSummary): string {
  if (lastSyncAt === undefined) return 'never up to date with the folder yet';
  return `up to date with the folder as of ${lastSyncAt} (${ageAsText(lastSyncAt)})`;
}
