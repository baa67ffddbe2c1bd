import type { IndexProgress } from './index-status.js';

/** Seconds of work before an estimate is worth showing. */
const soonest = 2;

/** Counts what is done and estimates what is left from the pace so far. */
export class Pace {
  readonly #phase: IndexProgress['phase'];
  readonly #label: string;
  readonly #report: ((progress: IndexProgress) => void) | undefined;
  readonly #started = performance.now();
  readonly #total: number;
  readonly #totalWeight: number;
  #done = 0;
  #weight = 0;

  /** `totalWeight` is what the estimate goes by, where units differ in size: bytes, say. */
  constructor(
    phase: IndexProgress['phase'],
    total: number,
    label: string,
    report: ((progress: IndexProgress) => void) | undefined,
    totalWeight = total,
  ) {
    this.#phase = phase;
    this.#label = label;
    this.#report = report;
    this.#total = total;
    this.#totalWeight = totalWeight;
    if (total > 0) this.#tell();
  }

  advance(units: number, weight = units): void {
    if (units === 0 && weight === 0) return;
    this.#done = Math.min(this.#total, this.#done + units);
    this.#weight += weight;
    this.#tell();
  }

  #tell(): void {
    if (this.#report === undefined) return;
    const seconds = (performance.now() - this.#started) / 1000;
    const share = Math.min(1, this.#weight / this.#totalWeight);
    const known = seconds >= soonest && share > 0;
    const secondsLeft = known ? Math.ceil((seconds * (1 - share)) / share) : undefined;
    this.#report({
      phase: this.#phase,
      done: this.#done,
      total: this.#total,
      message: `${this.#label}: ${this.#done} of ${this.#total}${secondsLeft === undefined ? '' : `, about ${duration(secondsLeft)} left`}`,
      ...(secondsLeft !== undefined && { secondsLeft }),
    });
  }
}

function duration(seconds: number): string {
  if (seconds < 90) return `${seconds} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}
