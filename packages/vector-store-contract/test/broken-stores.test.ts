import { type ContractOptions, contractCases, requirements, runCase } from '@kettle/vector-store-contract';
import { describe, expect, test } from 'vitest';
import type { BrokenStore } from './broken/broken-store.js';
import { callFaults } from './broken/call-faults.js';
import { persistenceFaults } from './broken/persistence-faults.js';
import { queryFaults } from './broken/query-faults.js';
import { writeFaults } from './broken/write-faults.js';

const volatile: ContractOptions = { capabilities: { exact: true, persistent: false, shared: false } };
const kept: ContractOptions = { capabilities: { exact: true, persistent: true, shared: false } };

describe.each([
  ['volatile', volatile, [...queryFaults, ...writeFaults, ...callFaults]],
  ['persistent', kept, persistenceFaults],
] as const)('a broken %s store', (_, options, stores) => {
  test.each(stores)('that $fault is found out', async (store: BrokenStore) => {
    const meant = contractCases(options).filter(({ name }) => name.startsWith(store.caughtBy));
    expect(meant, `cases whose name starts with "${store.caughtBy}"`).not.toHaveLength(0);
    for (const contractCase of meant) {
      await expect(runCase(contractCase, store, options)).rejects.toThrow();
    }
  });
});

test('every requirement is cited by a case that applies to some store', () => {
  const cited = [volatile, kept].flatMap(contractCases).map(({ requirement }) => requirement);
  expect(new Set(cited)).toEqual(new Set(Object.keys(requirements)));
});

test('names of cases are unique', () => {
  const names = contractCases(kept).map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});
