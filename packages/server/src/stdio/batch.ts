import { ErrorCode, type JSONRPCMessage, type RequestId } from '@modelcontextprotocol/sdk/types.js';
import { BadMessage, checkMessage } from './parse-message.js';

/** The one revision with batches: earlier and later ones have one message a line. */
export const revisionWithBatches = '2025-03-26';

/** Most messages in one batch, on any transport. */
export const longestBatch = 100;

/** Messages that came together and are answered together, in one list, when the last reply is there. */
export class Batch {
  /** What is to be passed on, in order. */
  readonly messages: readonly JSONRPCMessage[];
  readonly #waiting: Set<RequestId>;
  readonly #replies: object[] = [];

  /**
   * Takes the messages apart. Each that is none gets its error among the replies; so does `initialize`, which must
   * come alone, and an id that is `inUse` or comes twice, since nobody could tell the replies apart.
   * @throws {BadMessage} for a list that is empty or too long
   */
  constructor(values: readonly unknown[], inUse: (id: RequestId) => boolean) {
    if (values.length === 0 || values.length > longestBatch)
      throw invalid(`a batch holds 1 to ${longestBatch} messages`, null);
    this.#waiting = new Set();
    this.messages = values.flatMap((value) => this.#read(value, inUse));
  }

  /** Whether nothing is waited for any more. */
  get isComplete(): boolean {
    return this.#waiting.size === 0;
  }

  /** What to send once it is complete. Nothing, where no message wanted a reply. */
  get replies(): readonly object[] {
    return this.#replies;
  }

  /** Requests that wait for their reply. */
  get waiting(): ReadonlySet<RequestId> {
    return this.#waiting;
  }

  /** Takes the reply to one of its requests; none, when the request was cancelled. */
  answer(id: RequestId, reply?: object): void {
    if (this.#waiting.delete(id) && reply) this.#replies.push(reply);
  }

  #read(value: unknown, inUse: (id: RequestId) => boolean): JSONRPCMessage[] {
    try {
      const message = checkMessage(value);
      if (!message) return [];
      if ('method' in message && 'id' in message) {
        const { id, method } = message;
        if (method === 'initialize') throw invalid('initialize must come alone', id);
        if (inUse(id) || this.#waiting.has(id)) throw invalid('this id is in use', id);
        this.#waiting.add(id);
      }
      return [message];
    } catch (error) {
      if (!(error instanceof BadMessage)) throw error;
      this.#replies.push(error.toReply());
      return [];
    }
  }
}

function invalid(reason: string, id: RequestId | null): BadMessage {
  return new BadMessage(ErrorCode.InvalidRequest, `Invalid request: ${reason}`, id);
}
