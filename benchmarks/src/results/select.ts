import type { MetricName } from './metric.js';
import type { Labels, Measurement } from './results.js';

/** The measurements of a metric whose labels include all of those given; `undefined` asks for absence. */
export function select(
  measurements: readonly Measurement[],
  metric: MetricName,
  labels: Partial<{ [K in keyof Labels]: Labels[K] | undefined }> = {},
): Measurement[] {
  return measurements.filter(
    (measurement) =>
      measurement.metric === metric &&
      Object.entries(labels).every(([key, value]) => measurement.labels[key as keyof Labels] === value),
  );
}

/** Names a measurement: the same in two results exactly when both measured the same thing. */
export function keyOf({ metric, labels }: Pick<Measurement, 'metric' | 'labels'>): string {
  const parts = Object.entries(labels)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${value}`);
  return [metric, ...parts].join(' ');
}

/** Puts the repetitions of one thing, measured apart, side by side. */
export function mergeRepetitions(measurements: readonly Measurement[]): Measurement[] {
  const merged = new Map<string, Measurement>();
  for (const measurement of measurements) {
    const key = keyOf(measurement);
    const earlier = merged.get(key);
    merged.set(key, earlier ? together(earlier, measurement) : measurement);
  }
  return [...merged.values()];
}

/** Rounds are kept only where all runs say theirs. */
function together(
  { rounds: before, ...earlier }: Measurement,
  { runs, rounds: after }: Measurement,
): Measurement {
  const rounds = before && after && { rounds: [...before, ...after] };
  return { ...earlier, runs: [...earlier.runs, ...runs], ...rounds };
}
