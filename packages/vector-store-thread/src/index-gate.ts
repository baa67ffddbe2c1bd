import { NativeGate } from '@kettle/native-gate';

/** Longest wait of a process that exits, in milliseconds: for a library that hangs, and for a large file on a slow disk. */
const patience = 5_000;

const gates = new Set<IndexGate>();

function leaveAll(): void {
  const end = performance.now() + patience;
  for (const gate of gates) gate.shut();
  const stuck = [...gates].filter(
    (gate) => !gate.waitUntilEmpty(gate.isAbandoned ? 0 : end - performance.now()),
  );
  // Node waits for native code for ever: what hangs there would keep the process. Files are whole at any moment.
  if (stuck.length > 0) process.kill(process.pid, 'SIGKILL');
}

/** The gate of an index thread, as its owner sees it. While the thread runs, an exit of this process waits for those inside. */
export class IndexGate extends NativeGate {
  #isAbandoned = false;

  constructor() {
    super();
    if (gates.size === 0) process.on('exit', leaveAll);
    gates.add(this);
  }

  /** Whether an exit waits no more. */
  get isAbandoned(): boolean {
    return this.#isAbandoned;
  }

  /**
   * Shuts the gate of a thread that hangs; an exit does not wait for it any more. Gives whether nobody is inside, so that the
   * thread may be terminated; else it ends itself if it ever comes out.
   */
  abandon(): boolean {
    this.#isAbandoned = true;
    this.shut();
    return this.isEmpty;
  }

  /** The thread has ended. */
  release(): void {
    gates.delete(this);
    if (gates.size === 0) process.off('exit', leaveAll);
  }
}
