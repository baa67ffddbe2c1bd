import { z } from 'zod';
import { notesOn, type VariableName, variables } from './variables.js';

/** One variable as the MCP registry wants it in `server.json`. */
export interface RegistryInput {
  readonly name: VariableName;
  readonly description: string;
  readonly format: 'string' | 'number' | 'filepath';
  readonly isRequired?: true;
  readonly isSecret?: true;
  readonly default?: string;
  readonly choices?: readonly string[];
}

/** What only concerns HTTP: clients that start the server by themselves speak stdio. */
const httpOnly = /^(MCP_.*|HOST|PORT)$/;

/** The variables of an installed server on stdio. There is no sample corpus then: a folder must be given. */
export function registryInputs(): RegistryInput[] {
  const names = Object.keys(variables.shape) as VariableName[];
  return names.filter((name) => !httpOnly.test(name)).map(asInput);
}

function asInput(name: VariableName): RegistryInput {
  const schema = variables.shape[name];
  const { meaning, secret, path } = notesOn(name);
  const preset = schema instanceof z.ZodDefault ? schema.def.defaultValue : undefined;
  const kind = schema instanceof z.ZodDefault ? schema.unwrap() : schema;
  return {
    name,
    description: `${meaning.charAt(0).toUpperCase()}${meaning.slice(1)}`.replaceAll('`', ''),
    format: path ? 'filepath' : typeof preset === 'number' ? 'number' : 'string',
    ...(name === 'CORPUS_DIR' && { isRequired: true }),
    ...(secret && { isSecret: true }),
    ...(preset !== undefined && { default: String(preset) }),
    ...(kind instanceof z.ZodEnum && { choices: kind.options.map(String) }),
  };
}
