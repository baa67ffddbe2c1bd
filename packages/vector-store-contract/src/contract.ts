import { callCases } from './cases/call-cases.js';
import { modelCase } from './cases/model-case.js';
import { persistenceCases } from './cases/persistence-cases.js';
import { queryCases } from './cases/query-cases.js';
import { refusalCases } from './cases/refusal-cases.js';
import { withinCases } from './cases/within-cases.js';
import { writeCases } from './cases/write-cases.js';
import type { ContractCase } from './contract-case.js';
import { ContractContext } from './contract-context.js';
import type { ContractOptions } from './contract-options.js';
import type { StoreFactory } from './store-factory.js';

const cases: readonly ContractCase[] = [
  ...queryCases,
  ...withinCases,
  ...writeCases,
  ...refusalCases,
  ...callCases,
  ...persistenceCases,
  modelCase,
];

/** The part of a test runner that the suite needs: vitest's and jest's `test` have it. */
export type TestFunction = (name: string, body: () => Promise<void>, timeout?: number) => unknown;

/** The cases that say something about a store with these options. */
export function contractCases(options: ContractOptions): ContractCase[] {
  return cases.filter(({ applies }) => applies?.(options) ?? true);
}

/** Runs one case on a store of `factory`. Rejects when the store breaks its promise. */
export async function runCase(
  contractCase: ContractCase,
  factory: StoreFactory,
  options: ContractOptions,
): Promise<void> {
  const context = new ContractContext(factory, options);
  try {
    await contractCase.run(context);
  } finally {
    await context.close();
  }
}

/** Registers the suite: one test for each case. */
export function vectorStoreContract(
  test: TestFunction,
  factory: StoreFactory,
  options: ContractOptions,
): void {
  for (const contractCase of contractCases(options)) {
    test(
      `${contractCase.requirement}: ${contractCase.name}`,
      () => runCase(contractCase, factory, options),
      options.timeout ?? 60_000,
    );
  }
}
