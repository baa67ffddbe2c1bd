import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';

/** What a POST was answered with. */
export interface Answer {
  readonly status: number;
  /** The JSON-RPC messages in it, as JSON or as events. */
  // biome-ignore lint/suspicious/noExplicitAny: whatever the server answers, for a test to look into
  readonly messages: any[];
}

/** Posts over a few connections that stay open, as clients with much to say do. Many times as fast as `fetch`. */
export class KeepAliveClient {
  readonly #url: URL;
  readonly #agent: Agent;

  constructor(url: URL, connections: number) {
    this.#url = url;
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  async post(body: string | Buffer, session: Readonly<Record<string, string>>): Promise<Answer> {
    const bytes = Buffer.from(body);
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'content-length': bytes.length,
      ...session,
    };
    return new Promise((resolve, reject) => {
      request(this.#url, { method: 'POST', agent: this.#agent, headers }, (response) => {
        const isStream = response.headers['content-type']?.startsWith('text/event-stream') ?? false;
        text(response)
          .then((all) => resolve({ status: response.statusCode!, messages: parse(all, isStream) }))
          .catch(reject);
      })
        .on('error', reject)
        .end(bytes);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

function parse(text: string, isStream: boolean): unknown[] {
  if (!isStream) return text === '' ? [] : [JSON.parse(text)].flat();
  return [...text.matchAll(/^data: (.+)$/gm)].map((match) => JSON.parse(match[1]!));
}
