// A library whose searches never end.
import { serveIndex } from '@kettle/vector-store-thread';
import { plainEngine } from './plain-graph.mjs';

const hang = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
serveIndex(async () => plainEngine(hang));
