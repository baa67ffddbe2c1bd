import { type FileNotice, type IndexStatus, openIndex, type SyncReport } from '@kettle/search';
import { corpusOf, indexOptions, requireIndexPlace } from '../app.js';
import type { Log } from '../log.js';
import { counted, durationAsText } from '../text.js';
import type { CommandContext } from './command-context.js';
import { ProgressBar } from './progress-bar.js';

/** Most files named in each list of the report. */
const mostNamed = 10;

/** `kettle index`: brings the index level and reports what that took. */
export async function runIndex(context: CommandContext, force: boolean): Promise<number> {
  const { config, signal } = context;
  const { log, release } = holdErrors(context.log);
  requireIndexPlace(config);
  const corpus = await corpusOf(config);
  const bar = new ProgressBar(process.stderr);
  const index = await openIndex({ ...indexOptions(config, corpus, log, signal), watch: false });
  const onProgress = bar.show.bind(bar);
  try {
    await index.ready({ signal, onProgress });
    const forced = force ? await index.sync({ force, signal, onProgress }) : undefined;
    bar.clear();
    process.stdout.write(report(corpus.name, index.status(), forced));
    return 0;
  } catch (error) {
    bar.clear();
    release(error);
    if (!signal.aborted) throw error;
    process.stderr.write('kettle: interrupted; what is done is kept\n');
    return 1;
  } finally {
    release();
    await index.close();
  }
}

/**
 * A log that keeps errors until they are released: the one that the command ends with is told as a sentence, and not
 * here too.
 */
function holdErrors(log: Log): { log: Log; release: (told?: unknown) => void } {
  let held: Parameters<Log>[] = [];
  return {
    log: (...entry) => (entry[0] === 'error' ? held.push(entry) : log(...entry)),
    release(told) {
      for (const entry of held) if (entry[1] !== (told as Error | undefined)?.message) log(...entry);
      held = [];
    },
  };
}

function report(name: string, status: IndexStatus, forced: SyncReport | undefined): string {
  const sync = forced ?? status.lastSync;
  const lines = [
    `${name}: ${counted(status.documents, 'document')}, ${counted(status.passages, 'passage')}`,
    `model ${status.model}, backend ${status.backend}, in ${status.directory}`,
  ];
  if (status.role === 'follower') lines.push('another process writes this index; it is up to date');
  else if (sync) lines.push(...whatChanged(sync));
  return `${lines.join('\n')}\n`;
}

function whatChanged(sync: SyncReport): string[] {
  const { added, changed, renamed, removed, unchanged, embedded, reused, milliseconds } = sync;
  return [
    `documents: ${added} added, ${changed} changed, ${renamed} renamed, ${removed} removed, ${unchanged} unchanged`,
    `passages: ${embedded} embedded, ${reused} reused, in ${durationAsText(milliseconds.total)}`,
    ...named('not indexed', sync.skipped, sync.skippedCount),
    ...named('could not be read', sync.failed, sync.failed.length),
    ...named('read with replacement characters', sync.warnings, sync.warnings.length),
  ];
}

function named(what: string, files: readonly FileNotice[], count: number): string[] {
  if (count === 0) return [];
  const lines = files.slice(0, mostNamed).map(({ name, reason }) => `  ${name}: ${reason}`);
  const more = count - lines.length;
  return [`${what}: ${counted(count, 'file')}`, ...lines, ...(more > 0 ? [`  and ${more} more`] : [])];
}
