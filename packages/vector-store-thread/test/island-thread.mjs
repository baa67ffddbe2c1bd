// Searches never get to two of three vectors, as when a graph falls into pieces.
import { serveIndex } from '@kettle/vector-store-thread';
import { plainEngine } from './plain-graph.mjs';

serveIndex(async () => plainEngine((label) => label % 3 === 0));
