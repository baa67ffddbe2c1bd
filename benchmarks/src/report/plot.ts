import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import type { Results } from '../results/results.js';

/** The two widths that every plot is drawn in: text in a picture can't reflow, so a phone gets one of its own. */
export const widths = { wide: 720, narrow: 340 } as const;

/** What a plot is drawn for. */
export interface View {
  readonly width: number;
  readonly narrow: boolean;
}

/** Draws a plot for one width, or nothing where there are no measurements for it. */
export type Draw = (results: Results, view: View) => Plot.PlotOptions | undefined;

export interface Picture {
  readonly wide: string;
  readonly narrow: string;
}

const { document } = parseHTML('<!doctype html><html><body></body></html>');

/**
 * Draws a plot in both widths as SVG text. Colours are CSS variables, so one picture serves light, dark and print.
 *
 * @param label what the plot shows, for those who can't see it
 */
export function render(results: Results, draw: Draw, label: string): Picture | undefined {
  const svgOf = (width: number) => {
    const options = draw(results, { width, narrow: width === widths.narrow });
    if (!options) return undefined;
    const node = Plot.plot({
      width,
      ...options,
      document: document as never,
      style: { background: 'none', fontSize: '12px' },
    });
    node.setAttribute('role', 'img');
    node.setAttribute('aria-label', label);
    return node.outerHTML;
  };
  const wide = svgOf(widths.wide);
  const narrow = svgOf(widths.narrow);
  return wide === undefined || narrow === undefined ? undefined : { wide, narrow };
}

/** The colour of each contender: its place in the list decides, so that it is the same in every plot. */
export function colourOf(results: Results, name: string): string {
  const index = results.contenders.findIndex((contender) => contender.name === name);
  return `var(--c${(index % paletteSize) + 1})`;
}

export const paletteSize = 8;

/** A colour scale over contenders, for those that occur. */
export function colours(results: Results, names: readonly string[]): Plot.ScaleOptions {
  return { domain: [...names], range: names.map((name) => colourOf(results, name)) };
}

const shapes = ['circle', 'square', 'triangle', 'diamond', 'star', 'wye', 'cross', 'hexagon'] as const;

/** The shape of each contender; it moves on with every round of the colours, so that no two share both. */
export function shapeOf(results: Results, name: string): (typeof shapes)[number] {
  const index = results.contenders.findIndex((contender) => contender.name === name);
  return shapes[(index + 3 * Math.floor(index / paletteSize)) % shapes.length]!;
}

/** A scale of shapes over contenders: colour alone must not carry meaning. */
export function symbols(results: Results, names: readonly string[]): Plot.ScaleOptions {
  return { domain: [...names], range: names.map((name) => shapeOf(results, name)) };
}

/** How a plot is divided into panels: side by side where there is room, else one below the other. */
export interface Panels {
  /** For marks: which panel a row goes to. */
  readonly place: { readonly fx: string } | { readonly fy: string };
  /** For the plot: the scale of the panels, with room for their titles. */
  readonly scales: Pick<Plot.PlotOptions, 'fx' | 'fy' | 'marginTop'>;
  /** Titles and frames. */
  readonly marks: Plot.Markish[];
}

/**
 * @param column of the rows that holds the panel's title
 * @param titles of the panels, in order
 */
export function panels({ narrow }: View, column: string, titles: readonly string[]): Panels {
  const scale = { axis: null, domain: [...titles], padding: narrow ? 0.26 : 0.1 };
  const at = (title: string) => title;
  return {
    place: narrow ? { fy: column } : { fx: column },
    scales: { ...(narrow ? { fy: scale } : { fx: scale }), marginTop: 42 },
    marks: [
      Plot.frame({ stroke: 'var(--line)' }),
      Plot.text(titles as string[], {
        ...(narrow ? { fy: at } : { fx: at }),
        text: at,
        frameAnchor: 'top-left',
        dy: -16,
        fontWeight: 600,
        fill: 'var(--ink)',
      }),
    ],
  };
}

/** Steps within a power of ten, from coarse to fine. */
const steps = [[1], [1, 2, 5], [1, 1.5, 2, 3, 4, 5, 7], Array.from({ length: 90 }, (_, k) => 1 + k / 10)];

/**
 * Round numbers on a log axis over these values: 1, 2, 5, 10 …, only powers of ten where those are many, finer steps
 * where fewer than two of these lie within.
 */
export function logTicks(values: readonly number[]): number[] {
  const [least, most] = logDomain(values);
  const many = Math.log10(most / least) > 2.2;
  for (const fractions of steps.slice(many ? 0 : 1)) {
    const ticks: number[] = [];
    for (let power = Math.floor(Math.log10(least)); power <= Math.ceil(Math.log10(most)); power++)
      for (const step of fractions) ticks.push(Number((step * 10 ** power).toPrecision(2)));
    const within = ticks.filter((tick) => tick >= least * 0.999 && tick <= most * 1.001);
    if (within.length >= 2) return within;
  }
  return [least, most];
}

/** From the least to the most of these values; a little more where they are all but equal. */
function logDomain(values: readonly number[]): [number, number] {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return most / least < 1.3 ? [least / 1.2, most * 1.2] : [least, most];
}

/** A log axis over these values. */
export function logAxis(values: readonly number[], label: string): Plot.ScaleOptions {
  return {
    type: 'log',
    domain: logDomain(values),
    ticks: logTicks(values),
    tickFormat: shortNumber,
    label,
    labelArrow: 'none',
    tickSize: 3,
  };
}

/** The horizontal axis of everything that grows with the corpus. */
export function passagesAxis(rows: readonly { readonly passages: number }[]): Plot.ScaleOptions {
  return {
    ...logAxis(
      rows.map(({ passages }) => passages),
      'passages',
    ),
    labelAnchor: 'center',
  };
}

/** A contender's mark as a small picture, for legends. */
export function glyph(results: Results, name: string): string {
  return Plot.plot({
    width: 16,
    height: 16,
    margin: 0,
    axis: null,
    x: { domain: [0, 1] },
    y: { domain: [0, 1] },
    document: document as never,
    style: { background: 'none' },
    marks: [
      Plot.dot([0.5], {
        x: 0.5,
        y: 0.5,
        r: 5,
        fill: colourOf(results, name),
        symbol: shapeOf(results, name),
      }),
    ],
  }).outerHTML.replace('<svg', '<svg aria-hidden="true"');
}

/** A square of one colour, for legends. */
export function swatch(colour: string): string {
  return `<svg width="16" height="16" aria-hidden="true"><rect x="2" y="2" width="12" height="12" rx="3" fill="${colour}"/></svg>`;
}

/** Milliseconds, bytes and counts on axes: short. */
export function shortNumber(value: number): string {
  if (value >= 1e6) return `${value / 1e6}M`;
  if (value >= 1000) return `${value / 1000}k`;
  return String(Number(value.toPrecision(3)));
}
