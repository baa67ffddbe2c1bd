import { calibrate } from '../method.js';
import type { Progress } from '../progress.js';
import type { Absence, Labels, Measurement, Step } from '../results/results.js';
import { runInChild } from './child.js';
import type { Outcome } from './corpus-job.js';
import type { JobInput, JobName, JobOutput } from './jobs.js';
import type { Tell } from './tell.js';

/** One of several jobs that run side by side. */
export interface TogetherJob<N extends JobName> {
  /** Says which of them tells something. */
  readonly title: string;
  /** What is absent when it fails. */
  readonly labels: Labels;
  readonly input: JobInput<N>;
  /** Milliseconds; unset: the usual one. */
  readonly deadline?: number;
}

/** Runs jobs and keeps what they measured, and why others could not. */
export class Recorder {
  readonly measurements: Measurement[] = [];
  readonly absences: Absence[] = [];
  /** What took how long, in the order in which it ran. */
  readonly steps: Step[] = [];
  readonly #progress: Progress;
  readonly #signal: AbortSignal | undefined;

  constructor(progress: Progress, signal?: AbortSignal) {
    this.#progress = progress;
    this.#signal = signal;
  }

  /**
   * Runs a job that nothing else can go without; rejects when it fails.
   *
   * @param deadline milliseconds; unset: the usual one
   */
  require<N extends JobName>(
    title: string,
    name: N,
    input: JobInput<N>,
    deadline?: number,
  ): Promise<JobOutput<N>> {
    return this.#step(title, name, () =>
      this.run(name, input, (message) => this.#progress.tell(message), deadline),
    );
  }

  /**
   * Runs a job and records its measurements; a failure is recorded as an absence of `labels`.
   *
   * @returns whether it succeeded
   */
  async attempt<N extends JobName>(
    title: string,
    labels: Labels,
    name: N,
    input: JobInput<N>,
    deadline?: number,
  ): Promise<boolean> {
    return (await this.#settle(this.require(title, name, input, deadline), labels, input)) !== undefined;
  }

  /**
   * Runs jobs of one kind as one step, so many at a time in the order given, and records their measurements; each
   * failure is recorded as an absence of the job's own labels.
   *
   * @returns what each of them gave, in the order given; undefined where it failed
   */
  async attemptTogether<N extends JobName>(
    title: string,
    name: N,
    jobs: readonly TogetherJob<N>[],
    atOnce: number,
  ): Promise<(JobOutput<N> | undefined)[]> {
    const outputs: (JobOutput<N> | undefined)[] = jobs.map(() => undefined);
    const waiting = [...jobs.entries()];
    const worker = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        this.#signal?.throwIfAborted();
        const [index, { title: of, labels, input, deadline }] = next;
        const tell = (message: string) => this.#progress.tell(`${of}: ${message}`);
        outputs[index] = await this.#settle(this.run(name, input, tell, deadline), labels, input);
      }
    };
    await this.#step(title, name, async () => {
      // All of them have ended before anything goes on: what they write into is removed then.
      const ended = await Promise.allSettled(Array.from({ length: atOnce }, worker));
      for (const end of ended) if (end.status === 'rejected') throw end.reason;
    });
    return outputs;
  }

  /** Records that something can't be measured, and says so. Once for each reason. */
  absent(labels: Labels, reason: string): void {
    const known = this.absences.some(
      (absence) => absence.reason === reason && JSON.stringify(absence.labels) === JSON.stringify(labels),
    );
    if (known) return;
    this.absences.push({ labels, reason });
    this.#progress.note(`bench: not measured: ${Object.values(labels).join(', ')}: ${reason}`);
  }

  /** Ends a step that was left out. */
  skip(): void {
    this.#progress.end();
  }

  protected pace(): number {
    return calibrate();
  }

  /** In a process of its own. */
  protected run<N extends JobName>(
    name: N,
    input: JobInput<N>,
    tell: Tell,
    deadline?: number,
  ): Promise<JobOutput<N>> {
    return runInChild(name, input, {
      onProgress: ({ message }) => tell(message),
      ...(this.#signal && { signal: this.#signal }),
      ...(deadline !== undefined && { deadline }),
    });
  }

  /** Records what a job gives, or its failure. Rejects only when the run is ended. */
  async #settle<N extends JobName>(
    job: Promise<JobOutput<N>>,
    labels: Labels,
    input: JobInput<N>,
  ): Promise<JobOutput<N> | undefined> {
    try {
      const output = await job;
      this.#record(output, roundOf(input));
      return output;
    } catch (error) {
      this.#signal?.throwIfAborted();
      this.absent(labels, (error as Error).message);
      return undefined;
    }
  }

  async #step<T>(title: string, job: JobName, work: () => Promise<T>): Promise<T> {
    this.#progress.begin(title);
    const started = performance.now();
    // The state of the machine, all through the run.
    this.measurements.push({ metric: 'calibration', labels: {}, runs: [[this.pace()]] });
    try {
      return await work();
    } finally {
      this.#progress.end();
      this.steps.push({ job, title, seconds: (performance.now() - started) / 1000 });
    }
  }

  #record(output: JobOutput<JobName>, round: number | undefined): void {
    const { measurements, absences }: Outcome = Array.isArray(output)
      ? { measurements: output, absences: [] }
      : (output as Outcome);
    for (const measurement of measurements)
      this.measurements.push(
        round === undefined ? measurement : { ...measurement, rounds: measurement.runs.map(() => round) },
      );
    for (const { labels, reason } of absences) this.absent(labels, reason);
  }
}

/** Jobs that take turns in rounds say which this is; within a metric, all of one phase do. */
function roundOf(input: object): number | undefined {
  return 'repetition' in input && typeof input.repetition === 'number' ? input.repetition : undefined;
}
