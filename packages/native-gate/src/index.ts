export { NativeGate } from './native-gate.js';
