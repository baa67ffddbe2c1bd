const longest = Math.floor((2 ** 31 - 1) / 1000); // of Node's timers

/**
 * How long to wait for a reply, in milliseconds: `TIMEOUT_SECONDS`, or 300 seconds where it is unset or empty. A bad
 * value ends the program with one line and exit code 2.
 *
 * @param program Its name, for that line.
 */
export function replyTimeout(program: string): number {
  const given = process.env.TIMEOUT_SECONDS || '300';
  const seconds = /^\d+(\.\d+)?$/.test(given) ? Number(given) : 0;
  if (seconds > 0 && seconds <= longest) return seconds * 1000;
  console.error(
    `${program}: TIMEOUT_SECONDS must be a number of seconds above 0, up to ${longest}, not ${JSON.stringify(given)}`,
  );
  process.exit(2);
}
