import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import { NativeGate } from '@kettle/native-gate';
import { expect, onTestFinished, test } from 'vitest';

/** A thread behind a gate: asks it to stand inside for so long, and what it says next. */
function startThread() {
  const gate = new NativeGate();
  const worker = new Worker(new URL('./thread.mjs', import.meta.url), { workerData: gate.memory });
  onTestFinished(async () => {
    await worker.terminate();
  });
  const said = on(worker, 'message');
  return {
    gate,
    stay: (milliseconds: number) => worker.postMessage(milliseconds),
    next: async () => (await said.next()).value[0] as string,
  };
}

test('whoever shuts it waits until the call inside is over, and no other begins', async () => {
  const { gate, stay, next } = startThread();
  stay(200);
  expect(await next()).toBe('inside');
  expect(gate.isEmpty).toBe(false);
  gate.shut();
  expect(gate.waitUntilEmpty(60_000)).toBe(true);
  expect(gate.isEmpty).toBe(true);
  expect(await next()).toBe('emptied');
  expect(await next()).toBe('out');
  stay(0);
  // A call that is refused was in for a moment, too.
  expect(await next()).toBe('emptied');
  expect(await next()).toBe('the thread is ending');
});

test('nobody waits longer than said for a call that hangs, nor for a thread that is gone', async () => {
  const { gate, stay, next } = startThread();
  stay(60_000);
  expect(await next()).toBe('inside');
  gate.shut();
  expect(gate.waitUntilEmpty(1)).toBe(false);
  gate.empty();
  expect(gate.waitUntilEmpty(60_000)).toBe(true);
});

test('a call is over when its promise is settled, however', async () => {
  const gate = new NativeGate();
  let settle = () => {};
  const waiting = gate.runAsync(() => new Promise<void>((resolve) => (settle = resolve)));
  const failing = gate.runAsync(() => Promise.reject(new Error('made up')));
  await expect(failing).rejects.toThrow('made up');
  expect(gate.isEmpty).toBe(false);
  settle();
  await waiting;
  expect(gate.isEmpty).toBe(true);
});
