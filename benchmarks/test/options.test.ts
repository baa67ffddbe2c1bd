import { help, Progress, parseCommand, quickPlan, UsageError } from '@kettle/benchmarks';
import { describe, expect, test } from 'vitest';

describe('command line', () => {
  test('without options it measures the cafe with the default plan', () => {
    const command = parseCommand([], '/here');
    expect(command).toMatchObject({ kind: 'run', seed: 1, plan: { name: 'default' } });
    if (command.kind !== 'run') throw new Error('unreachable');
    expect(command.corpus).toMatch(/corpus$/);
    expect(command.queries).toMatch(/queries\.jsonl$/);
    expect(command.qrels).toMatch(/dev\.tsv$/);
  });

  test('--scale adds a size to the plan', () => {
    const command = parseCommand(['--scale', '100_000'], '/here');
    if (command.kind !== 'run') throw new Error('unreachable');
    expect(command.plan.sizes).toEqual([1_000, 10_000, 50_000, 100_000]);
  });

  test('--scale also indexes folders end to end, from 1 000 passages to its own size', () => {
    const sizesOf = (size: string) => {
      const command = parseCommand(['--quick', '--scale', size], '/here');
      if (command.kind !== 'run') throw new Error('unreachable');
      return command.plan.whole.sizes.filter((each) => !quickPlan.whole.sizes.includes(each));
    };
    expect(sizesOf('100000')).toEqual([1_000, 10_000, 100_000]);
    expect(sizesOf('3000')).toEqual([1_000, 3_000]);
    expect(sizesOf('700')).toEqual([700]);
  });

  test('paths start where the user is', () => {
    expect(
      parseCommand(['--corpus', 'docs', '--queries', 'q.jsonl', '--out', '/tmp/x'], '/here'),
    ).toMatchObject({
      corpus: '/here/docs',
      queries: '/here/q.jsonl',
      out: '/tmp/x',
    });
    expect(parseCommand(['--compare', 'a', 'b'], '/here')).toEqual({
      kind: 'compare',
      before: '/here/a',
      after: '/here/b',
    });
    expect(parseCommand(['--report', 'a', '--soak', 's.json'], '/here')).toEqual({
      kind: 'report',
      results: '/here/a',
      soak: '/here/s.json',
    });
    expect(parseCommand(['--readme', 'a', '--check'], '/here')).toEqual({
      kind: 'readme',
      results: '/here/a',
      check: true,
    });
  });

  test.each([
    [['--what'], /Unknown option '--what'/],
    [['stray'], /unknown argument "stray"/],
    [['--scale', 'big'], /--scale must be a whole number of at least 100 and at most 10000000, not "big"/],
    [['--scale', '1.5'], /--scale must be/],
    [['--scale', '1e15'], /--scale must be a whole number of at least 100 and at most 10000000/],
    [['--quick', '--thorough'], /--quick and --thorough exclude each other/],
    [['--check'], /--check goes with --readme only/],
    [['--report', 'a', '--out', 'b'], /--out does not go with --report/],
    [['--compare', 'a', 'b', '--quick'], /--quick does not go with --compare/],
    [['--out', ''], /--out must not be empty/],
    [['--seed', ''], /--seed must not be empty/],
    [['--seed', '-1'], /--seed/],
    [['--corpus', 'docs'], /--corpus and --queries belong together/],
    [['--qrels', 'x'], /belong together/],
    [['--compare', 'a'], /--compare A B/],
    [['--compare', 'a', 'b', 'c'], /--compare A B/],
  ])('refuses %j with a reason', (args, message) => {
    expect(() => parseCommand(args, '/here')).toThrow(UsageError);
    expect(() => parseCommand(args, '/here')).toThrow(message);
  });

  test('help names every option', () => {
    const options = [
      'quick',
      'thorough',
      'scale',
      'corpus',
      'queries',
      'qrels',
      'seed',
      'out',
      'compare',
      'report',
      'readme',
    ];
    for (const option of options) expect(help).toContain(`--${option}`);
    expect(parseCommand(['-h'], '/here')).toEqual({ kind: 'help' });
  });
});

describe('progress', () => {
  function record(isTTY: boolean) {
    const written: string[] = [];
    return { written, output: { isTTY, columns: 60, write: (text: string) => written.push(text) } };
  }

  test('a terminal gets one line that changes and never wraps', () => {
    const { written, output } = record(true);
    const progress = new Progress(output, 4);
    progress.begin('hnsw: building');
    progress.tell('a message that goes on and on and on until no terminal could hold it in a single line');
    progress.end();
    progress.begin('next');
    progress.close();
    const lines = written.filter((text) => !text.startsWith('\r'));
    for (const line of lines) expect(line.length).toBeLessThan(60);
    expect(lines.at(-1)).toContain(' 25 %');
    expect(written.at(-1)).toContain('\u001b[2K'); // nothing is left behind
  });

  test('a file gets a line for each step, and no control characters', () => {
    const { written, output } = record(false);
    const progress = new Progress(output, 2);
    progress.begin('one');
    for (let i = 0; i < 50; i++) progress.tell(`detail ${i}`);
    progress.end();
    progress.begin('two');
    progress.close();
    expect(written).toHaveLength(2);
    expect(written.join('')).toMatch(/^bench: {2}0 % 0 s {2}one\nbench: 50 % 0 s {2}two\n$/);
  });
});
