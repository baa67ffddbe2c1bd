import type { IndexProgress } from './index-status.js';

/** Seconds of work before an estimate is worth showing. */
const soonest = 5;
/** The share of the work after which the pace so far is believed, also where it changes. */
const enough = 0.1;
/** Before that, two estimates of the end must agree: neither is more than so many times the other. */
const agreeing = 1.5;

export interface PaceOptions {
  readonly phase: IndexProgress['phase'];
  /** Says what is counted, as in `Indexing documents`. */
  readonly label: string;
  /** Units to be done. */
  readonly total: number;
  /** What the estimate goes by, where units differ in size. @default `total` */
  readonly totalWeight?: number | undefined;
  /** More about what is done, for the message; empty where there is nothing to tell. */
  readonly detail?: (() => string) | undefined;
  readonly report: ((progress: IndexProgress) => void) | undefined;
  /** A clock, in milliseconds. @default performance.now */
  readonly now?: (() => number) | undefined;
}

/** A unit in work. */
export interface PaceUnit {
  /** So much of it is done, from 0 to 1. Less than before counts for nothing. */
  reach(share: number): void;
  /** All of it is done. */
  end(): void;
}

/** How far it was at one moment, and when the end was expected then, in seconds since the start. */
interface Mark {
  readonly seconds: number;
  readonly weight: number;
  readonly end: number;
}

/**
 * Counts what is done, also of units in work, and estimates what is left. The estimate goes by the latter half of
 * the time at least: what was there already goes fast, and says nothing about the rest.
 */
export class Pace {
  readonly #options: PaceOptions;
  readonly #totalWeight: number;
  readonly #now: () => number;
  readonly #started: number;
  #done = 0;
  #weight = 0;
  /** Set whenever the time has doubled: the former lies in the first half of it. */
  #former: Mark = { seconds: 0, weight: 0, end: Number.POSITIVE_INFINITY };
  #latest: Mark = this.#former;

  constructor(options: PaceOptions) {
    this.#options = options;
    this.#totalWeight = options.totalWeight ?? options.total;
    this.#now = options.now ?? (() => performance.now());
    this.#started = this.#now();
    if (options.total > 0) this.#tell();
  }

  /** So many more units are done, each as heavy as any. */
  advance(units: number): void {
    if (units === 0) return;
    this.#add(units, units);
  }

  /** A unit of this weight begins. */
  begin(weight: number): PaceUnit {
    let counted = 0;
    const reach = (share: number, units: number) => {
      const more = Math.max(0, weight * share - counted);
      counted += more;
      this.#add(units, more);
    };
    return { reach: (share) => reach(share, 0), end: () => reach(1, 1) };
  }

  #add(units: number, weight: number): void {
    this.#done = Math.min(this.#options.total, this.#done + units);
    this.#weight = Math.min(this.#totalWeight, this.#weight + weight);
    this.#tell();
  }

  #tell(): void {
    const { phase, label, total, detail, report } = this.#options;
    if (report === undefined) return;
    const secondsLeft = this.#estimate();
    const more = detail?.() ?? '';
    const parts = [`${label}: ${this.#done} of ${total}`];
    if (more !== '') parts.push(more);
    if (secondsLeft !== undefined) parts.push(`about ${duration(secondsLeft)} left`);
    report({
      phase,
      done: this.#done,
      total,
      message: parts.join(', '),
      ...(secondsLeft !== undefined && { secondsLeft }),
    });
  }

  /** Seconds until the end, as far as it can be told. */
  #estimate(): number | undefined {
    const seconds = (this.#now() - this.#started) / 1000;
    const weight = this.#weight;
    const recent = weight - this.#former.weight;
    const left = ((this.#totalWeight - weight) * (seconds - this.#former.seconds)) / recent;
    // By other data than `end`: it was told before.
    const expected = this.#former.end;
    const end = seconds + left;
    if (recent > 0 && seconds >= Math.max(1, 2 * this.#latest.seconds)) {
      this.#former = this.#latest;
      this.#latest = { seconds, weight, end };
    }
    if (seconds < soonest || !Number.isFinite(end)) return undefined;
    const agree = end <= expected * agreeing && expected <= end * agreeing;
    return agree || weight >= this.#totalWeight * enough ? Math.ceil(left) : undefined;
  }
}

function duration(seconds: number): string {
  if (seconds < 90) return `${seconds} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}
