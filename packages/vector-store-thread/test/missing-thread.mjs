// A library that can't be loaded.
import { VectorStoreError } from '@kettle/vector-store';
import { serveIndex } from '@kettle/vector-store-thread';

serveIndex(async () => {
  throw new VectorStoreError('unsupported', 'The addon is missing: install it.');
});
