/** Values for a backend's tunables, by name. */
export type Tuning = Readonly<Record<string, number>>;

/** `M 16, ef_search 40`; empty for the presets. */
export function settingsText(tuning: Tuning): string {
  return Object.entries(tuning)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}
