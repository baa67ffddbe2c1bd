const most = 3;

/** Up to three of `names` that `wanted` may be a slip of, best first. */
export function similarNames(wanted: string, names: readonly string[]): string[] {
  const target = fold(wanted.slice(0, 200));
  if (target === '') return [];
  const targetBase = lastPart(target);
  return names
    .map((name) => {
      const candidate = fold(name);
      const whole = distance(target, candidate);
      const base = distance(targetBase, lastPart(candidate));
      const part = stem(targetBase).length > 2 && candidate.includes(stem(targetBase)) ? 0.34 : 1;
      return { name, score: Math.min(whole, base + 0.01, part) };
    })
    .filter(({ score }) => score < 0.45)
    .sort((a, b) => a.score - b.score || (a.name < b.name ? -1 : 1))
    .slice(0, most)
    .map(({ name }) => name);
}

function fold(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[\s_-]+/g, '_');
}

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

function stem(name: string): string {
  return name.replace(/\.[^.]*$/, '');
}

/** Edit distance over the length of the longer one: 0 for equal texts, 1 for nothing in common. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]! / Math.max(a.length, b.length, 1);
}
