/** A table in a form that a terminal, Markdown and HTML all show. */
export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  /** How many columns at the left name the row; the others are figures and stand at the right. */
  readonly names: number;
  readonly rows: readonly (readonly string[])[];
  readonly note?: string;
}

/** Where something was not measured. */
export const blank = '–';
