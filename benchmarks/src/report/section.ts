import type { Picture } from './plot.js';
import type { Table } from './table.js';

export interface LegendEntry {
  readonly name: string;
  /** The mark in the plots, as SVG. */
  readonly glyph: string;
}

export interface Figure {
  readonly caption: string;
  readonly picture: Picture;
  readonly legend: readonly LegendEntry[];
  /** Takes half of the page's width where there is room. */
  readonly half?: boolean;
}

/** A part of the report, in a form that Markdown and HTML both show. */
export interface Section {
  readonly id: string;
  readonly title: string;
  readonly paragraphs: readonly string[];
  readonly figures: readonly Figure[];
  readonly tables: readonly Table[];
}
