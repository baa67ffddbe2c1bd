import { bestHitMetrics } from '../results/best-hits.js';
import { metrics } from '../results/metric.js';
import type { Labels, Measurement, Results } from '../results/results.js';
import { keyOf } from '../results/select.js';
import { median } from '../statistics/quantile.js';
import { targetsOf } from '../targets.js';
import { answerChanges } from './answers.js';
import { type Change, changesOf } from './change.js';
import { checkComparable, IncomparableError } from './incomparable.js';

export interface Missing {
  readonly key: string;
  readonly backend: string | undefined;
  /** What the second run says of it, if anything. */
  readonly reason: string | undefined;
}

export interface TargetChange {
  readonly title: string;
  readonly verdict: 'better' | 'worse';
}

export interface Comparison {
  readonly changes: readonly Change[];
  /** Targets that were met and are missed, or the other way round. */
  readonly targets: readonly TargetChange[];
  /** What the first run measured and the second did not: that is worse. */
  readonly missing: readonly Missing[];
  /** Keys of what only the second has. */
  readonly onlyAfter: readonly string[];
  /** Why times were left out, or undefined when they were compared. */
  readonly timesLeftOut: string | undefined;
}

/** Two runs whose fixed arithmetic differs by more than this share did not have the same machine to themselves. */
const calibrationMargin = 0.1;

/**
 * What changed from one run to another beyond noise.
 *
 * Times are held against each other only when both runs had the same machine at the same pace; qualities question
 * by question; sizes and counts as they are.
 *
 * @throws {IncomparableError} when the runs did not measure the same, or have nothing in common
 */
export function compareResults(before: Results, after: Results): Comparison {
  checkComparable(before, after);
  const timesLeftOut = reasonAgainstTimes(before, after);
  const [earlier, later] = [byKey(before), byKey(after)];
  const common = [...earlier].flatMap(([key, measurement]) => {
    const counterpart = later.get(key);
    return counterpart ? [{ key, measurement, counterpart }] : [];
  });
  if (common.length === 0)
    throw new IncomparableError(
      'these runs can’t be compared: there is nothing that both have measured. Run the second one again and see what it says is not measured.',
    );
  const compared = common.filter(
    // The distances themselves are neither good nor bad: what they tell apart is compared.
    ({ measurement: { metric } }) =>
      !bestHitMetrics.some((one) => one === metric) && !(metrics[metric].kind === 'time' && timesLeftOut),
  );
  return {
    changes: [
      ...compared.flatMap(({ key, measurement, counterpart }) => changesOf(key, measurement, counterpart)),
      ...answerChanges(before, after),
    ],
    targets: targetChanges(before, after, timesLeftOut !== undefined),
    missing: [...earlier]
      .filter(([key]) => !later.has(key))
      .map(([key, { labels }]) => ({ key, backend: labels.backend, reason: reasonOf(after, labels) })),
    onlyAfter: [...later.keys()].filter((key) => !earlier.has(key)),
    timesLeftOut,
  };
}

/** Whether anything got worse, or is gone. */
export function isWorse({ changes, targets, missing }: Comparison): boolean {
  return missing.length > 0 || [...changes, ...targets].some(({ verdict }) => verdict === 'worse');
}

/** Calibration describes the machine, not what is measured on it. */
function byKey({ measurements }: Results): Map<string, Measurement> {
  return new Map(
    measurements
      .filter(({ metric }) => metric !== 'calibration')
      .map((measurement) => [keyOf(measurement), measurement]),
  );
}

function reasonOf({ absences }: Results, labels: Labels): string | undefined {
  return absences.find((absence) =>
    Object.entries(absence.labels).every(([key, value]) => labels[key as keyof Labels] === value),
  )?.reason;
}

function targetChanges(before: Results, after: Results, withoutTimes: boolean): TargetChange[] {
  const later = new Map(targetsOf(after).map((target) => [target.title, target]));
  return targetsOf(before).flatMap(({ title, met, unit }): TargetChange[] => {
    const now = later.get(title)?.met;
    if (
      (withoutTimes && unit === 'ms') ||
      typeof met !== 'boolean' ||
      typeof now !== 'boolean' ||
      met === now
    )
      return [];
    return [{ title, verdict: now ? 'better' : 'worse' }];
  });
}

function reasonAgainstTimes(before: Results, after: Results): string | undefined {
  const [a, b] = [before.method.machine, after.method.machine];
  for (const key of ['cpu', 'cores', 'node', 'system'] as const)
    if (a[key] !== b[key]) return `the machines differ (${key}: ${a[key]} and ${b[key]})`;
  const ratio = calibrationOf(after) / calibrationOf(before);
  if (Math.abs(Math.log(ratio)) > Math.log(1 + calibrationMargin))
    return `the machine did a fixed amount of arithmetic in ${ratio.toFixed(2)} times the time: something else was running`;
  return undefined;
}

function calibrationOf({ measurements }: Results): number {
  const runs = measurements.find(({ metric }) => metric === 'calibration')?.runs.flat();
  return runs && runs.length > 0 ? median(runs) : 1;
}
