import type { SearchIndex } from '@kettle/search';
import type { VectorStore } from '@kettle/vector-store';

/** Throws where a store that should be level does not hold exactly the ids that the catalog holds. */
export function checkLevel(index: SearchIndex, store: VectorStore): Promise<void>;
