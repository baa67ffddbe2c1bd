import type { StdioSession } from './stdio-session.js';

/** Greets a server, asks `search`, and gives the names of the documents found, best first. */
export async function ask(session: StdioSession, query: string): Promise<string[]> {
  await session.request({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'client', version: '1' } },
  });
  session.notify({ method: 'notifications/initialized' });
  const params = { name: 'search', arguments: { query } };
  const reply = await session.request({ id: 2, method: 'tools/call', params });
  const { result } = reply as { result: { structuredContent: { results: { source: string }[] } } };
  return result.structuredContent.results.map(({ source }) => source);
}
