import { serveIndex } from '@kettle/vector-store-thread';
import { plainEngine } from './plain-graph.mjs';

serveIndex(async () => plainEngine(() => true));
