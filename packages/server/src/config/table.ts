import { z } from 'zod';
import { notesOn, type VariableName, variables } from './variables.js';

/** One line of the table of variables. */
export interface VariableRow {
  readonly name: VariableName;
  readonly preset: string;
  readonly meaning: string;
}

/** The table of variables, in their order. */
export function variableRows(): VariableRow[] {
  return (Object.keys(variables.shape) as VariableName[]).map((name) => {
    const schema = variables.shape[name];
    const { meaning, unset = 'none' } = notesOn(name);
    const values = schema instanceof z.ZodDefault && schema.unwrap() instanceof z.ZodEnum;
    return {
      name,
      preset: schema instanceof z.ZodDefault ? `\`${schema.def.defaultValue}\`` : unset,
      meaning: values ? `${meaning}; ${notesOn(name).allowed}` : meaning,
    };
  });
}

/** The table for a terminal: the name and default on one line, the meaning below. */
export function variablesAsText(): string {
  return variableRows()
    .map(({ name, preset, meaning }) => `  ${name} (${preset})\n      ${meaning}\n`.replaceAll('`', ''))
    .join('');
}

/** The table in Markdown, with columns that line up, as the formatter wants them. */
export function variablesAsMarkdown(): string {
  const head = ['variable', 'default', 'meaning'];
  const body = variableRows().map(({ name, preset, meaning }) => [`\`${name}\``, preset, meaning]);
  const widths = head.map((_, column) => Math.max(...[head, ...body].map((row) => row[column]?.length ?? 0)));
  const rule = widths.map((width) => '-'.repeat(width));
  return [head, rule, ...body]
    .map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |\n`)
    .join('');
}
