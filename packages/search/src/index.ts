export {
  type Corpus,
  CorpusError,
  type CorpusErrorCode,
  type CorpusOverrides,
  readCorpus,
} from './corpus.js';
export type { DocumentContent, DocumentInfo } from './document-info.js';
export { SearchError, type SearchErrorCode, type SearchErrorOptions } from './errors.js';
export type { IndexProgress, IndexStatus } from './index-status.js';
export type { IndexSummary, UnreadableIndex } from './index-summary.js';
export { inspectIndexes } from './inspect-indexes.js';
export type { Log, LogLevel } from './log.js';
export { openIndex } from './open-index.js';
export type { OpenIndexOptions, StoreContext } from './open-index-options.js';
export type { SearchHit } from './search-hit.js';
export type {
  IndexCallOptions,
  IndexChange,
  SearchIndex,
  SearchMode,
  SearchOptions,
  SyncOptions,
  WaitOptions,
} from './search-index.js';
export type { FileNotice, SyncReport } from './sync-report.js';
