import type { Fingerprint, VectorStore } from '@kettle/vector-store';
import type { Log } from './log.js';

/** What the environment says about backends, already checked. */
export interface BackendSettings {
  readonly chroma: {
    /** A Chroma server. Unset: a private one is started in the index folder and ended again. */
    readonly url?: string;
    readonly apiKey?: string;
    readonly tenant?: string;
    readonly database?: string;
    /** How to start the private server. Unset: the `chroma` of our own dependency. */
    readonly command?: string;
    /** Milliseconds for one request, its retries included. Unset: the adapter's own. */
    readonly deadline?: number;
  };
}

export interface BackendContext {
  readonly fingerprint: Fingerprint;
  /** Stable short name of the corpus and its location, for collection names. */
  readonly corpusId: string;
  /** Folder for this backend's files; made when needed. */
  readonly directory: string;
  readonly settings: BackendSettings;
  /** Values for some of the backend's {@link Backend.tunables}, by name. */
  readonly tuning?: Readonly<Record<string, number>>;
  readonly log: Log;
  readonly signal?: AbortSignal;
}

/** A number that trades recall against speed or size. The benchmark tries its values; people read them there. */
export interface Tunable {
  /** As the literature writes it: `M`, `ef_search`. */
  readonly name: string;
  /** Values worth trying, ascending. Each is tried with the presets of the others. */
  readonly values: readonly number[];
  /** What holds when nobody sets it. */
  readonly preset: number;
  /** `build`: decides how a store is filled. `query`: takes effect on a filled store when it is opened again. */
  readonly applies: 'build' | 'query';
}

/** One way to keep vectors, under the name that `VECTOR_BACKEND` gives it. */
export interface Backend {
  readonly name: string;
  /** Half a sentence for people who choose. */
  readonly summary: string;
  /** Whether a server does the work, on as many cores as it likes: the benchmark then has nothing else going on. */
  readonly server?: boolean;
  /** What the benchmark may vary. Left out where there is nothing to choose. */
  readonly tunables?: readonly Tunable[];
  /** Opens the store made for `context.fingerprint`, empty or as it was left. Rejects with a VectorStoreError. */
  open(context: BackendContext): Promise<VectorStore>;
}

/** The numbers of HNSW, which every graph index here has; those of building are the same everywhere. */
function graphTunables(efSearch: Pick<Tunable, 'values' | 'preset'>): readonly Tunable[] {
  return [
    { name: 'M', values: [8, 16, 32], preset: 16, applies: 'build' },
    { name: 'ef_construction', values: [50, 200], preset: 200, applies: 'build' },
    { name: 'ef_search', ...efSearch, applies: 'query' },
  ];
}

/** The tunables of a graph index in the adapters' own words; those that are not set are left out. */
function graphParameters({ M, ef_construction, ef_search }: Readonly<Record<string, number>>) {
  return {
    ...(M !== undefined && { m: M }),
    ...(ef_construction !== undefined && { efConstruction: ef_construction }),
    ...(ef_search !== undefined && { efSearch: ef_search }),
  };
}

function sayRebuild(log: Log): (reason: string) => void {
  return (reason) => log('warn', `the vector index is built anew: ${reason}`);
}

/** Every backend there is. Adapters are imported when opened, so that nobody pays for those not in use. */
export const backends: readonly Backend[] = Object.freeze([
  {
    name: 'hnsw',
    summary: 'an approximate index in this process, kept in a file: fast at any size',
    tunables: graphTunables({ values: [16, 32, 64, 128, 256, 512], preset: 256 }),
    async open({ fingerprint, directory, tuning = {}, log, signal }: BackendContext) {
      const { HnswVectorStore } = await import('@kettle/vector-store-hnsw');
      return HnswVectorStore.open({
        ...graphParameters(tuning),
        fingerprint,
        directory,
        onRebuild: sayRebuild(log),
        signal,
      });
    },
  },
  {
    name: 'usearch',
    summary: 'another approximate index in this process, kept in files',
    tunables: graphTunables({ values: [16, 32, 64, 128, 256, 512], preset: 256 }),
    async open({ fingerprint, directory, tuning = {}, log, signal }: BackendContext) {
      const { UsearchVectorStore } = await import('@kettle/vector-store-usearch');
      return UsearchVectorStore.open({
        ...graphParameters(tuning),
        fingerprint,
        directory,
        onRebuild: sayRebuild(log),
        signal,
      });
    },
  },
  {
    name: 'chroma',
    summary: "a Chroma server, the user's or a private one",
    server: true,
    tunables: graphTunables({ values: [50, 200, 1000], preset: 1000 }),
    async open({ fingerprint, corpusId, directory, settings, tuning = {}, log, signal }: BackendContext) {
      const { openChroma } = await import('@kettle/vector-store-chroma');
      const { M, ef_construction, ef_search } = tuning;
      const hnsw = {
        ...(M !== undefined && { maxNeighbors: M }),
        ...(ef_construction !== undefined && { efConstruction: ef_construction }),
        ...(ef_search !== undefined && { efSearch: ef_search }),
      };
      return openChroma({ fingerprint, corpusId, directory, ...settings.chroma, hnsw, log, signal });
    },
  },
  {
    name: 'exact',
    summary: 'compares with every vector, in memory: exact, for small corpora',
    async open({ fingerprint }: BackendContext) {
      const { ExactVectorStore } = await import('@kettle/vector-store');
      return new ExactVectorStore(fingerprint);
    },
  },
]);

/** The backend of that name, or undefined. */
export function findBackend(name: string): Backend | undefined {
  return backends.find((backend) => backend.name === name);
}
