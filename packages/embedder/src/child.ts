import { constants, setPriority } from 'node:os';
import type { Request } from './serving/messages.js';

// A process that embeds documents on one thread, for the process that started it.

// That one ended, however it did.
process.on('disconnect', () => process.exit());
// A terminal sends these to both. The other one decides what they mean.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
try {
  // Those who wait for an answer go first.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
} catch {
  // Not allowed here: then all are alike.
}

// Only now, because it takes a while.
const { ModelServer } = await import('./serving/model-server.js');
const server = new ModelServer({ threads: 1, answer: (response) => void process.send?.(response) });
process.on('message', (request: Request) => server.receive(request));
