// A process that uses a folder's server until its stdin ends: node hold-server.mjs DIRECTORY COMMAND…
import { ChromaServer } from '@kettle/vector-store-chroma';

const [directory, ...command] = process.argv.slice(2);
const server = await ChromaServer.start({ directory, command });
process.stdout.write(`${await server.url({ signal: AbortSignal.timeout(10_000) })}\n`);
process.stdin.resume().on('end', () => server.close());
