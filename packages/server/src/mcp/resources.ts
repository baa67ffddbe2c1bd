import { type DocumentInfo, SearchError } from '@kettle/search';
import { z } from 'zod';
import { asRpcError } from './explain.js';
import type { Call, Method } from './method.js';
import { noCursor, pageOf } from './paging.js';
import { parseParams } from './params.js';
import { documentName, documentTemplate, documentUri } from './resource-uri.js';
import { RpcError } from './rpc-error.js';

const withUri = z.object({ uri: z.string() });

export const listResources: Method = async (params, call) => {
  call.connection.listedResources = true;
  const index = await call.connection.app.index();
  const documents = await index.listDocuments({ signal: call.signal });
  const { items, nextCursor } = pageOf(documents, ({ name }) => name, params.cursor);
  return { resources: items.map(asResource), ...(nextCursor !== undefined && { nextCursor }) };
};

export const listResourceTemplates: Method = (params, { connection }) => {
  noCursor(params);
  const document = {
    uriTemplate: documentTemplate,
    name: 'document',
    title: 'Document',
    description: `One document of ${connection.app.corpus.name}, by its name`,
  };
  return { resourceTemplates: [document] };
};

export const readResource: Method = async (params, call) => {
  const { uri } = parseParams(withUri, params, 'resources/read takes a uri');
  const { mimeType, text } = await findDocument(uri, call);
  return { contents: [{ uri, mimeType, text }] };
};

export const subscribe: Method = async (params, call) => {
  const { uri } = parseParams(withUri, params, 'resources/subscribe takes a uri');
  const { name } = await findDocument(uri, call);
  call.connection.subscriptions.set(name, uri);
  return {};
};

export const unsubscribe: Method = (params, { connection }) => {
  const { uri } = parseParams(withUri, params, 'resources/unsubscribe takes a uri');
  const name = documentName(uri);
  if (name !== undefined) connection.subscriptions.delete(name);
  return {};
};

async function findDocument(uri: string, call: Call) {
  const name = documentName(uri);
  if (name === undefined) throw RpcError.resourceNotFound(uri);
  try {
    const index = await call.connection.app.index();
    return await index.getDocument(name, { signal: call.signal });
  } catch (error) {
    if (SearchError.isInstance(error) && error.code === 'document_not_found')
      throw RpcError.resourceNotFound(uri);
    throw asRpcError(error, call, name);
  }
}

function asResource({ name, mimeType, size, modified }: DocumentInfo) {
  return { uri: documentUri(name), name, mimeType, size, annotations: { lastModified: modified } };
}
