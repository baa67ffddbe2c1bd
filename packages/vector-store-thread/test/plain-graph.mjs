// A "graph" without links: compares with every vector it reaches. Stands for a library where none is the point.
import { readFile, writeFile } from 'node:fs/promises';
import { unitDistance } from '@kettle/vector-store';

class PlainGraph {
  filters = true;
  files = {
    vectors: (path) => writeFile(path, JSON.stringify(this.vectors.map((vector) => vector && [...vector]))),
  };

  constructor(vectors, reaches) {
    this.vectors = vectors;
    this.reaches = reaches;
  }

  get length() {
    return this.vectors.length;
  }

  add(vector) {
    this.vectors.push(Float32Array.from(vector));
  }

  remove(label) {
    this.vectors[label] = null;
  }

  vectorAt(label) {
    return this.vectors[label];
  }

  search(query, count, allowed = () => true) {
    const found = this.vectors
      .map((vector, label) => ({ label, vector }))
      .filter(({ label, vector }) => vector && allowed(label) && this.reaches(label))
      .map(({ label, vector }) => ({ label, distance: unitDistance(query, vector) }))
      .sort((a, b) => a.distance - b.distance)
      .slice(0, count);
    return { labels: found.map(({ label }) => label), distances: found.map(({ distance }) => distance) };
  }
}

/** @param reaches Whether a search gets to a label. */
export function plainEngine(reaches) {
  return {
    name: 'plain',
    create: () => new PlainGraph([], reaches),
    load: async (_, { vectors }) => {
      const stored = JSON.parse(await readFile(vectors, 'utf8'));
      return new PlainGraph(
        stored.map((vector) => vector && Float32Array.from(vector)),
        reaches,
      );
    },
  };
}
