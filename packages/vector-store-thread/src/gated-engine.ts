import type { NativeGate } from '@kettle/native-gate';
import type { Graph, GraphEngine } from './graph.js';

/** The same library, entered through the gate. */
export function gatedEngine(engine: GraphEngine, gate: NativeGate): GraphEngine {
  return {
    name: engine.name,
    create: (settings) =>
      gatedGraph(
        gate.run(() => engine.create(settings)),
        gate,
      ),
    load: async (settings, paths) =>
      gatedGraph(await gate.runAsync(() => engine.load(settings, paths)), gate),
  };
}

function gatedGraph(graph: Graph, gate: NativeGate): Graph {
  return {
    filters: graph.filters,
    get length() {
      return gate.run(() => graph.length);
    },
    add: (vector) => gate.run(() => graph.add(vector)),
    remove: (label) => gate.run(() => graph.remove(label)),
    vectorAt: (label) => gate.run(() => graph.vectorAt(label)),
    search: (query, count, allowed) => gate.run(() => graph.search(query, count, allowed)),
    files: Object.fromEntries(
      Object.entries(graph.files).map(([name, write]) => [
        name,
        (path: string) => gate.runAsync(() => write(path)),
      ]),
    ),
  };
}
