import { existsSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { countSteps, runBenchmark } from './bench.js';
import { chromaCommand } from './chroma-command.js';
import { compareResults, isWorse } from './compare/compare.js';
import { IncomparableError } from './compare/incomparable.js';
import { comparisonText } from './compare/text.js';
import { type Command, defaultOutput, help, parseCommand, readmeFile, UsageError } from './options.js';
import { Progress } from './progress.js';
import { updateReadme } from './readme.js';
import { terminalReport } from './report/terminal.js';
import { writeReports } from './report/write.js';
import { keepSoak, readSoak } from './results/soak.js';
import { ResultsError, readResults, writeResults } from './results/store.js';

const from = process.env.INIT_CWD ?? process.cwd();

async function main(args: readonly string[]): Promise<number> {
  const command = parseCommand(args, from);
  switch (command.kind) {
    case 'help':
      process.stdout.write(help);
      return 0;
    case 'compare':
      return compare(command);
    case 'report':
      if (command.soak !== undefined) await keepSoak(command.soak, folderOf(command.results));
      for (const file of await writeReports(command.results, await readResults(command.results)))
        process.stdout.write(`${relative(from, file)}\n`);
      return 0;
    case 'readme': {
      const inStep = await updateReadme(readmeFile, await readResults(command.results), command.check);
      process.stdout.write(inStep ? 'README.md is in step\n' : 'README.md is out of step; run --readme\n');
      return inStep ? 0 : 1;
    }
    case 'run':
      return run(command, args);
  }
}

/** Ends with 0 when nothing got worse, 1 when something did, 2 when that can't be said. */
async function compare({ before, after }: Extract<Command, { kind: 'compare' }>): Promise<number> {
  try {
    const comparison = compareResults(await readResults(before), await readResults(after));
    process.stdout.write(comparisonText(comparison));
    return isWorse(comparison) ? 1 : 0;
  } catch (error) {
    if (!(error instanceof IncomparableError || error instanceof ResultsError)) throw error;
    process.stderr.write(`bench: ${error.message}\n`);
    return 2;
  }
}

async function run(command: Extract<Command, { kind: 'run' }>, args: readonly string[]): Promise<number> {
  // What can't be read should not be told after five minutes.
  if (command.soak !== undefined) await readSoak(command.soak);
  if (command.out !== undefined && existsSync(command.out) && !statSync(command.out).isDirectory())
    throw new UsageError(`--out ${command.out} is a file; name a folder`);
  const interrupt = new AbortController();
  process.once('SIGINT', () => interrupt.abort(new Error('interrupted')));
  process.once('SIGTERM', () => interrupt.abort(new Error('ended')));
  const chroma = chromaCommand(process.env);
  if (chroma !== undefined) process.env.CHROMA_COMMAND = chroma; // the jobs inherit it
  const progress = new Progress(process.stderr, countSteps(command.plan));
  try {
    const results = await runBenchmark(
      { ...command, command: ['pnpm bench', ...args].join(' '), signal: interrupt.signal },
      progress,
    );
    progress.close();
    const directory = command.out ?? unused(defaultOutput(results.method.date, results.method.git.commit));
    await writeResults(directory, results);
    if (command.soak !== undefined) await keepSoak(command.soak, directory);
    const reports = await writeReports(directory, results);
    process.stdout.write(terminalReport(results, process.stdout.columns));
    for (const file of [join(directory, 'results.json'), ...reports])
      process.stdout.write(`${relative(from, file)}\n`);
    return 0;
  } finally {
    progress.close();
  }
}

/** The folder, or the first of its kind with a number that is not there: another run of the same day is kept. */
function unused(folder: string): string {
  if (!existsSync(folder)) return folder;
  let number = 2;
  while (existsSync(`${folder}-${number}`)) number += 1;
  return `${folder}-${number}`;
}

/** Results are named by their file or its folder. */
function folderOf(results: string): string {
  return results.endsWith('.json') ? dirname(results) : results;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`bench: ${(error as Error).message}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
