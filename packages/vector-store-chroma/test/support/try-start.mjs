// Starts a folder's server, and prints the error if that fails: node try-start.mjs DIRECTORY COMMAND…
import { ChromaServer } from '@kettle/vector-store-chroma';

const [directory, ...command] = process.argv.slice(2);
try {
  const server = await ChromaServer.start({ directory, command });
  await server.close();
} catch ({ code, message }) {
  process.stdout.write(JSON.stringify({ code, message }));
}
