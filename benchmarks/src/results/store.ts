import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Results } from './results.js';

/** What is wrong with a results file, in one line. */
export class ResultsError extends Error {
  override readonly name = 'ResultsError';
}

/** JSON Schema of results.json: benchmarks/results.schema.json. */
const schemaFile = new URL('../../results.schema.json', import.meta.url);

/**
 * Reads results.json.
 *
 * @param path the file, or the folder it is in
 * @throws {ResultsError} when there is none, or it doesn't follow the schema
 */
export async function readResults(path: string): Promise<Results> {
  const file = (await isDirectory(path)) ? join(path, 'results.json') : path;
  let parsed: unknown;
  try {
    parsed = JSON.parse(await readFile(file, 'utf8'));
  } catch (cause) {
    throw new ResultsError(`${file} can't be read as results: ${(cause as Error).message}`, { cause });
  }
  const problem = await schemaProblem(parsed);
  if (problem !== undefined) throw new ResultsError(`${file} doesn't follow results.schema.json: ${problem}`);
  return parsed as Results;
}

/**
 * Writes results.json into `directory`, which is made when absent. Gives the file's path.
 *
 * @throws {ResultsError} for results that don't follow the schema; they are kept beside, since a run takes long
 */
export async function writeResults(directory: string, results: Results): Promise<string> {
  const problem = await schemaProblem(results);
  await mkdir(directory, { recursive: true });
  const file = join(directory, problem === undefined ? 'results.json' : 'results-refused.json');
  await writeFile(file, `${serialise(results)}\n`);
  if (problem === undefined) return file;
  throw new ResultsError(`the results don't follow their own schema: ${problem}. They are kept in ${file}.`);
}

/** What in `value` breaks the schema, or undefined. */
export async function schemaProblem(value: unknown): Promise<string | undefined> {
  const ajv = new Ajv2020({ strict: true });
  const validate = ajv.compile(JSON.parse(await readFile(schemaFile, 'utf8')));
  return validate(value) ? undefined : ajv.errorsText(validate.errors, { dataVar: 'results' });
}

/** One measurement a line, so that a diff of two results can be read; samples to a tenth of a microsecond. */
function serialise(results: Results): string {
  const { measurements, ...rest } = results;
  const lines = measurements.map((measurement) =>
    JSON.stringify(measurement, (_key, value) =>
      typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(7)) : value,
    ),
  );
  const head = JSON.stringify(rest, null, 1).replace(/\n\}$/, '');
  return `${head},\n "measurements": [\n${lines.join(',\n')}\n ]\n}`;
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}
