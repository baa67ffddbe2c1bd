// A library that takes its time for each vector.
import { serveIndex } from '@kettle/vector-store-thread';
import { plainEngine } from './plain-graph.mjs';

const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
const engine = plainEngine(() => true);
serveIndex(async () => ({
  ...engine,
  create(settings) {
    const graph = engine.create(settings);
    const add = graph.add.bind(graph);
    graph.add = (vector) => {
      pause();
      add(vector);
    };
    return graph;
  },
}));
