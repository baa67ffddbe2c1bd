import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { defaultPlan, type Plan, quickPlan, thoroughPlan, withScale } from './plan.js';

/** What the command line asks for. Paths are absolute. */
export type Command =
  | { readonly kind: 'help' }
  | {
      readonly kind: 'run';
      readonly plan: Plan;
      readonly seed: number;
      readonly corpus: string;
      readonly queries: string;
      readonly qrels?: string;
      /** Where results go; by default a folder named after date and commit. */
      readonly out?: string;
      /** Figures of a soak test, to go beside the results. */
      readonly soak?: string;
    }
  | { readonly kind: 'compare'; readonly before: string; readonly after: string }
  | { readonly kind: 'report'; readonly results: string; readonly soak?: string }
  | { readonly kind: 'readme'; readonly results: string; readonly check: boolean };

/** A command line that can't be carried out. The message is one line for the person who typed it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const root = fileURLToPath(new URL('../../', import.meta.url));
const cafe = {
  corpus: join(root, 'corpus'),
  queries: join(root, 'corpus/judgments/queries.jsonl'),
  qrels: join(root, 'corpus/judgments/qrels/dev.tsv'),
};

export const help = `pnpm bench [options]      measure every backend; writes results.json, report.md and report.html

  --quick                 a run of less than a minute, to see that everything works
  --thorough              more processes, and every setting of every backend at every size: for a quiet quarter of an hour
  --scale N               also with N passages: in the stores, and in a folder that is indexed end to end
  --corpus DIR            your own folder of documents, or a BEIR folder with corpus.jsonl
  --queries FILE          your own questions: one JSON object a line with "_id" and "text"
  --qrels FILE            which documents answer them: query id, document, grade, with tabs between
                          (without it only speed is measured)
  --seed N                another order and other grown passages (default 1)
  --out DIR               where the results go (default benchmarks/results/<date>-<commit>)
  --soak FILE             shows the figures of a soak test too; they are kept as soak.json
                          (pnpm --filter @kettle/server soak --json FILE)

pnpm bench --compare A B  what changed from A to B beyond noise (results.json, or their folders);
                          exit code 0: nothing is worse; 1: something is worse, or gone;
                          2: the two can't be compared, and why
pnpm bench --report DIR   writes the reports of results.json again; takes --soak FILE too
pnpm bench --readme DIR   writes the figures of results.json into README.md; with --check only says
                          whether they are in step, exit code 1 when not
pnpm bench --help         this text

Chroma is reached as CHROMA_URL, CHROMA_COMMAND and the like say; see the README.
Exit code 0: done. 1: worse, out of step, or failed. 2: wrong usage, or results that can't be compared.
`;

/**
 * Reads the command line.
 *
 * @param from folder that relative paths start at
 * @throws {UsageError}
 */
export function parseCommand(args: readonly string[], from: string): Command {
  const { values, positionals } = parse(args);
  const path = (value: string) => resolve(from, value);
  if (values.help) return { kind: 'help' };
  refuseStrays(values);
  if (values.compare !== undefined) {
    if (positionals.length !== 1) throw new UsageError('--compare wants two results: --compare A B');
    return { kind: 'compare', before: path(values.compare), after: path(positionals[0]!) };
  }
  if (positionals.length > 0) throw new UsageError(`unknown argument "${positionals[0]}"; see --help`);
  const soak = values.soak === undefined ? {} : { soak: path(values.soak) };
  if (values.report !== undefined) return { kind: 'report', results: path(values.report), ...soak };
  if (values.readme !== undefined)
    return { kind: 'readme', results: path(values.readme), check: values.check ?? false };
  if (values.quick && values.thorough) throw new UsageError('--quick and --thorough exclude each other');
  const plan = values.quick ? quickPlan : values.thorough ? thoroughPlan : defaultPlan;
  return {
    kind: 'run',
    plan:
      values.scale === undefined ? plan : withScale(plan, integer('--scale', values.scale, 100, 10_000_000)),
    seed: values.seed === undefined ? 1 : integer('--seed', values.seed, 0),
    ...corpusOf(values, path),
    ...(values.out === undefined ? {} : { out: path(values.out) }),
    ...soak,
  };
}

function corpusOf(
  { corpus, queries, qrels }: { corpus?: string; queries?: string; qrels?: string },
  path: (value: string) => string,
): { corpus: string; queries: string; qrels?: string } {
  if (corpus === undefined && queries === undefined && qrels === undefined) return cafe;
  if (corpus === undefined || queries === undefined)
    throw new UsageError('--corpus and --queries belong together: name the folder and your questions');
  return {
    corpus: path(corpus),
    queries: path(queries),
    ...(qrels === undefined ? {} : { qrels: path(qrels) }),
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        help: { type: 'boolean', short: 'h' },
        quick: { type: 'boolean' },
        thorough: { type: 'boolean' },
        scale: { type: 'string' },
        corpus: { type: 'string' },
        queries: { type: 'string' },
        qrels: { type: 'string' },
        seed: { type: 'string' },
        out: { type: 'string' },
        soak: { type: 'string' },
        compare: { type: 'string' },
        report: { type: 'string' },
        readme: { type: 'string' },
        check: { type: 'boolean' },
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message.split('. ')[0]!);
  }
}

/** What goes with the options that do something else than run the benchmark. */
const companions: Readonly<Record<string, readonly string[]>> = {
  compare: [],
  report: ['soak'],
  readme: ['check'],
};

/** Options that would be passed over, and empty values: whoever gave them expects something that would not happen. */
function refuseStrays(values: Readonly<Record<string, string | boolean | undefined>>): void {
  const given = Object.keys(values);
  const empty = given.find((name) => values[name] === '');
  if (empty !== undefined) throw new UsageError(`--${empty} must not be empty`);
  const kind = given.find((name) => name in companions);
  const stray =
    kind === undefined
      ? given.find((name) => name === 'check')
      : given.find((name) => name !== kind && !companions[kind]!.includes(name));
  if (stray !== undefined)
    throw new UsageError(
      kind === undefined ? '--check goes with --readme only' : `--${stray} does not go with --${kind}`,
    );
}

function integer(option: string, text: string, least: number, most = Number.MAX_SAFE_INTEGER): number {
  const value = Number(text.replaceAll('_', ''));
  if (!Number.isSafeInteger(value) || value < least || value > most)
    throw new UsageError(
      `${option} must be a whole number of at least ${least}${most < Number.MAX_SAFE_INTEGER ? ` and at most ${most}` : ''}, not "${text}"`,
    );
  return value;
}

/** Where the results of a run go when nobody says. */
export function defaultOutput(date: string, commit: string): string {
  return join(root, 'benchmarks', 'results', `${date.slice(0, 10)}-${commit}`);
}

/** The README whose figures come from a run. */
export const readmeFile = join(dirname(cafe.corpus), 'README.md');
