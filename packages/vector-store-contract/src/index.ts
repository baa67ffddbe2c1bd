export { contractCases, runCase, type TestFunction, vectorStoreContract } from './contract.js';
export type { ContractCase } from './contract-case.js';
export type { ContractContext } from './contract-context.js';
export type { ContractOptions } from './contract-options.js';
export { type Requirement, requirements } from './requirements.js';
export type { StoreFactory } from './store-factory.js';
