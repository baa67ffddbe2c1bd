// The conversation of raw.ts through the official SDK. Still a child process and four messages on the wire,
// printed below as they pass, but spawning, framing, ids, the handshake and matching replies are the SDK's.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { serverCommand } from './server-command.js';
import { reasonOf } from './server-end.js';
import { replyTimeout } from './timeout.js';

const timeout = replyTimeout('sdk');

const transport = new StdioClientTransport(serverCommand());
const send = transport.send.bind(transport);
transport.send = (message) => {
  console.log(`→ ${JSON.stringify(message)}`);
  return send(message);
};
transport.onmessage = (message) => console.log(`← ${JSON.stringify(message)}`);

const client = new Client({ name: 'sdk-client', version: '0.1.0' });
try {
  // Messages 1 and 2: initialize, check that both sides speak one version, notifications/initialized.
  await client.connect(transport, { timeout });
  // Message 3.
  await client.listTools({}, { timeout });
  // Message 4. The result is also checked against the tool's outputSchema.
  await client.callTool({ name: 'search', arguments: { query: 'can I bring a dog', top_k: 1 } }, undefined, {
    timeout,
  });
} catch (error) {
  console.error(`sdk: ${reasonOf(error)}`);
  process.exitCode = 1;
}
await client.close();
