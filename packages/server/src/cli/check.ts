/** One thing that has to be right. */
export interface Check {
  readonly name: string;
  /**
   * Gives what it found, or why it could not be tried; or throws a Problem. Another error is one too, without a remedy
   * of its own.
   */
  run(): Promise<string | NotTried>;
}

/** A check that takes what an earlier one did not find. */
export interface NotTried {
  readonly notTried: string;
}

/** Something is wrong. */
export class Problem extends Error {
  override readonly name = 'Problem';
  /** What to do about it. */
  readonly remedy: string;

  constructor(message: string, remedy: string, options?: ErrorOptions) {
    super(message, options);
    this.remedy = remedy;
  }
}

/** Runs checks one after the other, writes a line or two on each, and gives how many failed. */
export async function runChecks(checks: readonly Check[], write: (line: string) => void): Promise<number> {
  let failed = 0;
  for (const { name, run } of checks) {
    try {
      const found = await run();
      write(typeof found === 'string' ? `ok    ${name}: ${found}` : `skip  ${name}: ${found.notTried}`);
    } catch (error) {
      failed += 1;
      write(`WRONG ${name}: ${oneLine((error as Error).message)}`);
      if (error instanceof Problem) write(`      ${error.remedy}`);
    }
  }
  return failed;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ');
}
