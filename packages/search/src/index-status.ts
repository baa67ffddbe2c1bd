import type { SearchErrorCode } from './errors.js';
import type { SyncReport } from './sync-report.js';

/** How far a long operation is. */
export interface IndexProgress {
  /** `loading` the model, `opening` the index, `reading` the folder, `embedding` passages or `storing` vectors. */
  readonly phase: 'loading' | 'opening' | 'reading' | 'embedding' | 'storing';
  /**
   * Units finished: documents, or vectors while `storing`. Never falls within a phase. It may be told again: a
   * large document moves only the message, and what is left.
   */
  readonly done: number;
  readonly total: number;
  /** Seconds until the phase ends, estimated from the pace of late; absent while too little is known. */
  readonly secondsLeft?: number;
  /** One line for people. */
  readonly message: string;
}

/** The state of an index in this process, at one moment. */
export interface IndexStatus {
  /**
   * `starting`: nothing can be searched yet. `syncing`: the index is catching up with the folder.
   * `ready`: it is level. `failed`: the last attempt failed, see `lastError`; it is tried again by itself.
   */
  readonly phase: 'starting' | 'syncing' | 'ready' | 'failed';
  /** Searches are answered now, if need be from the index as it was before. */
  readonly searchable: boolean;
  /** This process brings the index level (`writer`), or reads what another one writes (`follower`). */
  readonly role?: 'writer' | 'follower';
  /** Id of the embedding model. */
  readonly model: string;
  /** Name of the vector backend, once it is open. */
  readonly backend?: string;
  /** Folder of the catalog and the vector files, once it is known. */
  readonly directory?: string;
  /** Documents in the index. */
  readonly documents: number;
  /** Passages in the index. */
  readonly passages: number;
  /** Passages embedded by this process since it started. */
  readonly embedded: number;
  /** Progress of what is going on; absent when nothing is. */
  readonly progress?: IndexProgress;
  /** The last finished synchronisation of this process. */
  readonly lastSync?: SyncReport;
  /** When the index was last level with the folder, ISO 8601, to the minute where nothing changed; absent when it never was. */
  readonly lastSyncAt?: string;
  /** Why the last attempt failed; absent once one succeeded. */
  readonly lastError?: { readonly code: SearchErrorCode; readonly message: string; readonly at: string };
}
