import { type JobKind, jobKinds, type Place } from './messages.js';

/** A call under way: its texts, and what came of those that were done. */
export interface Job {
  readonly id: number;
  readonly handle: number;
  readonly kind: JobKind;
  readonly texts: readonly string[];
  readonly place: Place;
  readonly results: (Float32Array<ArrayBuffer> | number)[];
}

/** Waiting jobs: kinds in the order of {@link jobKinds}, within a kind first come, first served. */
export class JobQueue {
  readonly #byKind = new Map<JobKind, Map<number, Job>>(jobKinds.map((kind) => [kind, new Map()]));

  add(job: Job): void {
    this.#byKind.get(job.kind)!.set(job.id, job);
  }

  remove(id: number): void {
    for (const jobs of this.#byKind.values()) jobs.delete(id);
  }

  removeOf(handle: number): void {
    for (const jobs of this.#byKind.values()) {
      for (const job of jobs.values()) if (job.handle === handle) jobs.delete(job.id);
    }
  }

  /** The job whose next text is due. It stays in the queue until removed. */
  first(): Job | undefined {
    for (const jobs of this.#byKind.values()) {
      for (const job of jobs.values()) return job;
    }
    return undefined;
  }
}
