// Stands in a gate for a while when asked to, and says how that went.
import { parentPort, workerData } from 'node:worker_threads';
import { NativeGate } from '@kettle/native-gate';

const gate = new NativeGate(workerData, () => parentPort.postMessage('emptied'));
const stay = (milliseconds) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
parentPort.on('message', (milliseconds) => {
  try {
    gate.run(() => {
      parentPort.postMessage('inside');
      stay(milliseconds);
    });
    parentPort.postMessage('out');
  } catch (error) {
    parentPort.postMessage(error.message);
  }
});
