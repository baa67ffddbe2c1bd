// A library that announces each call, stays in it for a while, and says so when it comes out.
import { writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { serveIndex } from '@kettle/vector-store-thread';
import { plainEngine } from './plain-graph.mjs';

const milliseconds = 300;
const channel = new BroadcastChannel('library');
channel.unref();
const enter = (call) => channel.postMessage(call);
const leave = (call) => writeSync(1, `out of ${call}\n`);

function linger(call) {
  enter(call);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
  leave(call);
  return true;
}

async function lingerAside(call) {
  enter(call);
  await pause(milliseconds);
  leave(call);
}

const engine = plainEngine(() => linger('search'));

function lingering(graph) {
  const add = graph.add.bind(graph);
  const { vectors } = graph.files;
  graph.add = (vector) => {
    add(vector);
    linger('add');
  };
  graph.files = {
    async vectors(path) {
      await vectors(path);
      await lingerAside('write');
    },
  };
  return graph;
}

serveIndex(async () => ({
  ...engine,
  create: (settings) => lingering(engine.create(settings)),
  async load(settings, paths) {
    await lingerAside('load');
    return lingering(await engine.load(settings, paths));
  },
}));
