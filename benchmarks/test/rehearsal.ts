import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { defaultPlan, type Measurement, measurePhases, Progress, Recorder } from '@kettle/benchmarks';
import { findBackend } from '@kettle/server/backends';
import { afterEach, beforeEach } from 'vitest';

export interface Job {
  readonly name: string;
  readonly input: {
    readonly backend?: string;
    readonly size?: number;
    readonly queries?: number;
    readonly mode?: string;
    readonly repetition?: number;
    readonly contender?: string;
    readonly http?: boolean;
    readonly crowd?: { readonly depths: readonly string[] };
    readonly build?: Readonly<Record<string, number>>;
    readonly directory?: string;
    readonly kept?: boolean;
    readonly spent?: number;
  };
}

/** Runs no process: notes the jobs, and fails those that it is told to fail. */
export class Rehearsal extends Recorder {
  readonly ran: Job[] = [];
  /** Most jobs that were under way at once. */
  atOnce = 0;
  /** Whether something else was under way beside the job of a server. */
  besideServers = false;
  readonly #underWay = new Set<Job>();
  readonly #fails: (job: Job) => boolean;
  readonly #gives: (job: Job) => readonly object[];

  constructor(fails: (job: Job) => boolean, gives: (job: Job) => readonly object[]) {
    super(new Progress({ write: () => {} }, 100));
    this.#fails = fails;
    this.#gives = gives;
  }

  protected override pace(): number {
    return 1;
  }

  protected override async run(name: string, input: unknown): Promise<never> {
    const job = { name, input: input as Job['input'] };
    if (this.#fails(job)) throw new Error('made up');
    this.ran.push(job);
    this.#underWay.add(job);
    this.atOnce = Math.max(this.atOnce, this.#underWay.size);
    if (this.#underWay.size > 1 && [...this.#underWay].some(({ input }) => isServer(input)))
      this.besideServers = true;
    await setImmediate();
    this.#underWay.delete(job);
    return (name === 'fill' ? [storing(job)] : this.#gives(job)) as never;
  }
}

export function isServer({ backend }: Job['input']): boolean {
  return backend !== undefined && findBackend(backend)?.server === true;
}

/** A tenth of a second for each thousand passages; ten times that where settings differ from the presets. */
export function storing({ input: { backend, size, build } }: Job): Measurement {
  const milliseconds = size! * 0.1 * (Object.keys(build!).length === 0 ? 1 : 10);
  return {
    metric: 'build_storing',
    labels: { backend: backend!, passages: size! },
    runs: [[milliseconds]],
  };
}

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kettle-phases-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** All phases of a plan, with no process run. */
export async function rehearse(
  fails: (job: Job) => boolean,
  plan = defaultPlan,
  gives: (job: Job) => readonly object[] = () => [],
): Promise<Rehearsal> {
  const recorder = new Rehearsal(fails, gives);
  const workspace = { directory, documents: directory, corpusName: 'none', queriesFile: '', seed: 1 };
  await measurePhases(workspace, plan, recorder);
  return recorder;
}
