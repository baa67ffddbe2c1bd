import type { ContractContext } from './contract-context.js';
import type { ContractOptions } from './contract-options.js';
import type { Requirement } from './requirements.js';

/** One case of the suite, as data: registered with a test runner, or run by itself. */
export interface ContractCase {
  readonly name: string;
  readonly requirement: Requirement;
  /** Whether the case says anything about a store with these options. @default always */
  readonly applies?: (options: ContractOptions) => boolean;
  run(context: ContractContext): Promise<void>;
}
