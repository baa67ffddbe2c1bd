import type { Place } from '../serving/messages.js';
import { onAbort } from '../serving/on-abort.js';

/** Some texts of one call, for one thread or process to embed. */
export interface Share {
  readonly call: DocumentCall;
  readonly texts: readonly string[];
  readonly place: Place;
}

/** A call of `embedDocuments` under way, handed out share by share. */
export class DocumentCall {
  readonly #texts: readonly string[];
  readonly #vectors: Float32Array[];
  readonly #abort = new AbortController();
  readonly #ignoreSignal: () => void;
  readonly #again: Share[] = [];
  /** Settles `vectors`, once. */
  #settle: { resolve: (vectors: Float32Array[]) => void; reject: (reason: unknown) => void } | undefined;
  #next = 0;
  #underWay = 0;
  #failure: { readonly from: number; readonly error: unknown } | undefined;
  readonly vectors: Promise<Float32Array[]>;

  constructor(texts: readonly string[], signal: AbortSignal | undefined) {
    signal?.throwIfAborted();
    this.#texts = texts;
    this.#vectors = new Array<Float32Array>(texts.length);
    this.#ignoreSignal = onAbort(signal, () => this.end(signal?.reason));
    this.vectors = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
  }

  get isOver(): boolean {
    return this.#settle === undefined;
  }

  /** Aborted when the rest of the texts is not wanted any more. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Texts that nobody has taken yet. */
  get waiting(): number {
    return this.#again.reduce((sum, share) => sum + share.texts.length, this.#texts.length - this.#next);
  }

  /** Up to `most` texts that nobody has taken yet. */
  take(most: number): Share | undefined {
    const share = this.#again.shift() ?? this.#nextShare(most);
    if (share) this.#underWay++;
    return share;
  }

  done({ place }: Share, vectors: readonly Float32Array[]): void {
    for (const [offset, vector] of vectors.entries()) this.#vectors[place.from + offset] = vector;
    this.#end();
  }

  /** Whoever had this share ended: another one has to do it. */
  redo(share: Share): void {
    this.#underWay--;
    if (!this.isOver && this.#failure === undefined) this.#again.push(share);
    else this.#checkEnd();
  }

  /** One of these texts can't be embedded, so that the call fails. Of several, the first of the texts is reported. */
  fail({ place: { from } }: Share, error: unknown): void {
    if (this.#failure === undefined || from < this.#failure.from) this.#failure = { from, error };
    this.#next = this.#texts.length;
    this.#again.length = 0;
    this.#end();
  }

  /** Ends the call early. */
  end(reason: unknown): void {
    this.#finish()?.reject(reason);
    this.#abort.abort(reason);
  }

  #nextShare(most: number): Share | undefined {
    const from = this.#next;
    const texts = this.#texts.slice(from, from + most);
    if (texts.length === 0) return undefined;
    this.#next += texts.length;
    return { call: this, texts, place: { from, of: this.#texts.length } };
  }

  #end(): void {
    this.#underWay--;
    this.#checkEnd();
  }

  #checkEnd(): void {
    if (this.#underWay > 0 || this.waiting > 0) return;
    if (this.#failure) this.#finish()?.reject(this.#failure.error);
    else this.#finish()?.resolve(this.#vectors);
  }

  #finish() {
    const settle = this.#settle;
    this.#settle = undefined;
    this.#ignoreSignal();
    this.#next = this.#texts.length;
    this.#again.length = 0;
    return settle;
  }
}
