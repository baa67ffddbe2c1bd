import { setImmediate } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { EmbedderError } from './errors.js';
import { LoadedModel } from './model/loaded-model.js';
import { ExitGuard } from './thread/exit-guard.js';
import { type Job, JobQueue } from './thread/job-queue.js';
import type { Failure, Request, Response } from './thread/messages.js';

// The model's thread. Runs the first text of the first job, looks for new messages, and so on: a query waits
// for at most one text, and a cancelled job stops after at most one.

const port = parentPort!;
const guard = new ExitGuard(workerData as SharedArrayBuffer);
const models = new Map<number, LoadedModel>();
const queue = new JobQueue();
let running = false;
/** Models are loaded and given back one after the other. */
let loading: Promise<void> = Promise.resolve();

port.on('message', (request: Request) => {
  switch (request.type) {
    case 'load':
      loading = loading.then(() => load(request));
      break;
    case 'unload':
      queue.removeOf(request.handle);
      // The session's memory goes with the object: this onnxruntime has no call to give it back.
      loading = loading.then(() => void models.delete(request.handle));
      break;
    case 'cancel':
      queue.remove(request.id);
      break;
    case 'run':
      queue.add({ ...request, results: [] });
      if (!running) void run();
  }
});

async function load({ id, handle, files }: Extract<Request, { type: 'load' }>): Promise<void> {
  try {
    const model = await guard.run(() => LoadedModel.load(files));
    // The first inference is slower than the next ones; and it tells the dimensions.
    const { length } = await guard.run(() => model.embedPassage('a'));
    models.set(handle, model);
    answer({ id, result: { dimensions: length, maxTokens: model.maxTokens } });
  } catch (error) {
    answer({ id, failure: failureOf(error) });
  }
}

async function run(): Promise<void> {
  running = true;
  for (let job = queue.first(); job; job = queue.first()) {
    try {
      if (job.results.length < job.texts.length) job.results.push(await runText(job));
      if (job.results.length === job.texts.length) finish(job);
    } catch (error) {
      queue.remove(job.id);
      answer({ id: job.id, failure: failureOf(error, job.results.length, job.texts.length) });
    }
    await setImmediate();
  }
  running = false;
}

function runText(job: Job): Promise<Float32Array<ArrayBuffer>> | number {
  const model = models.get(job.handle)!;
  const text = job.texts[job.results.length]!;
  if (job.kind === 'count') return model.countTokens(text);
  return guard.run(() => (job.kind === 'query' ? model.embedQuery(text) : model.embedPassage(text)));
}

function finish({ id, results }: Job): void {
  queue.remove(id);
  const buffers = results.flatMap((result) => (typeof result === 'number' ? [] : [result.buffer]));
  answer({ id, result: results as Float32Array[] | number[] }, buffers);
}

function answer(response: Response, transfer: readonly ArrayBuffer[] = []): void {
  port.postMessage(response, transfer);
}

function failureOf(error: unknown, index = 0, texts = 1): Failure {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (!EmbedderError.isInstance(error)) {
    return { code: 'inference_failed', message: `inference failed: ${cause}`, details: { index } };
  }
  const which = texts === 1 ? 'the text' : `text ${index} of ${texts}`;
  const message = error.code === 'text_too_long' ? `${which} ${error.message}` : error.message;
  const details = error.code === 'text_too_long' ? { index, ...error.details } : error.details;
  return { code: error.code, message, details, cause: error.cause ? String(error.cause) : undefined };
}
