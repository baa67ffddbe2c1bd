/** Bytes for people: `3.4 MB`. */
export function bytesAsText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 999.95 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}

/** How long ago a time was, for people: `5 minutes ago`. */
export function ageAsText(iso: string, now = Date.now()): string {
  const seconds = Math.max(0, (now - Date.parse(iso)) / 1000);
  if (seconds < 60) return 'just now';
  if (seconds < 3600) return `${counted(Math.floor(seconds / 60), 'minute')} ago`;
  if (seconds < 86_400) return `${counted(Math.floor(seconds / 3600), 'hour')} ago`;
  return `${counted(Math.floor(seconds / 86_400), 'day')} ago`;
}

/** A number with its noun: `1 document`, `62 documents`. */
export function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** Milliseconds for people: `6.2 s`. */
export function durationAsText(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
