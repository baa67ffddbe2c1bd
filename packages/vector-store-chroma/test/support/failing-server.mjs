// A Chroma server that answers its heartbeat and fails at all else while the file MARK is there. A start removes it.
// node failing-server.mjs MARK COMMAND… run --path … --host … --port …
import { spawn } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';

const [mark, program, ...words] = process.argv.slice(2);
rmSync(mark, { force: true });
const port = Number(words.pop());
// The next port is as free as the one given, as far as a test can tell.
const inner = port + 1;
spawn(program, [...words, String(inner)], { stdio: 'inherit' });
createServer((incoming, response) => {
  if (existsSync(mark) && !incoming.url.endsWith('/heartbeat')) {
    response
      .writeHead(500, { 'content-type': 'application/json' })
      .end('{"error":"InternalError","message":"stuck"}');
    return;
  }
  const { url: path, method, headers } = incoming;
  const outgoing = request({ host: '127.0.0.1', port: inner, path, method, headers }, (reply) => {
    response.writeHead(reply.statusCode, reply.headers);
    reply.pipe(response);
  });
  outgoing.on('error', () => response.destroy());
  incoming.pipe(outgoing);
}).listen(port, '127.0.0.1');
