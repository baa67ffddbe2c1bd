// What directories of MCP servers are told about Kettle: the manifest of its bundle, and its entry in the registry.
import { readFileSync } from 'node:fs';
import { registryInputs } from '../dist/config/registry-inputs.js';

const { name, mcpName, version, description, license, engines } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);
const summary = 'Search a folder of your documents by meaning, offline, on your own machine.';

/**
 * The manifest of the .mcpb bundle. The bundle holds compiled modules, so it fits the system, the processor and the
 * major version of Node that it was built on. Clients check all but the processor, which manifests have no field for:
 * there a person has to read it.
 */
export function bundleManifest(
  { platform, arch, node } = {
    platform: process.platform,
    arch: process.arch,
    node: process.versions.node,
  },
) {
  const major = Number(node.split('.')[0]);
  const oldest = engines.node.replace('>=', '');
  const from = oldest.startsWith(`${major}.`) ? oldest : `${major}.0`;
  const system = { darwin: 'macOS', win32: 'Windows', linux: 'Linux' }[platform] ?? platform;
  return {
    manifest_version: '0.3',
    name: 'kettle',
    display_name: 'Kettle',
    version,
    description: summary,
    long_description: `${description} It reads text, Markdown and PDF files, keeps its index up to date while it runs, and needs no network: the embedding model comes with it. This bundle is for ${system} on ${arch}, with Node ${major}.`,
    author: { name: 'The Kettle authors' },
    license,
    keywords: ['search', 'documents', 'embeddings', 'offline'],
    server: {
      type: 'node',
      entry_point: 'dist/main.js',
      mcp_config: {
        command: 'node',
        // biome-ignore-start lint/suspicious/noTemplateCurlyInString: the client replaces these
        args: ['${__dirname}/dist/main.js'],
        env: { CORPUS_DIR: '${user_config.corpus_dir}' },
        // biome-ignore-end lint/suspicious/noTemplateCurlyInString: as above
      },
    },
    tools: [
      {
        name: 'search',
        description: 'Passages that fit a question by meaning and by words, with their documents',
      },
      { name: 'list_documents', description: 'The names of all documents' },
      { name: 'get_document', description: 'One document in full' },
    ],
    user_config: {
      corpus_dir: {
        type: 'directory',
        title: 'Folder of documents',
        description: 'Text, Markdown and PDF files in it, and in the folders below it, can be searched.',
        required: true,
      },
    },
    compatibility: { platforms: [platform], runtimes: { node: `>=${from}.0 <${major + 1}` } },
  };
}

/**
 * The entry in the MCP registry: `server.json`.
 * @param bundle the .mcpb bundle to offer beside the npm package: its `url`, and the `sha256` of the file in hex
 */
export function registryEntry(bundle) {
  const transport = { type: 'stdio' };
  const environmentVariables = registryInputs();
  const npmPackage = {
    registryType: 'npm',
    identifier: name,
    version,
    runtimeHint: 'npx',
    transport,
    packageArguments: [{ type: 'positional', value: 'serve' }],
    environmentVariables,
  };
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: mcpName,
    title: 'Kettle',
    description: summary,
    version,
    packages: [npmPackage, ...(bundle ? [asPackage(bundle)] : [])],
  };

  function asPackage({ url, sha256 }) {
    return {
      registryType: 'mcpb',
      identifier: url,
      fileSha256: sha256,
      transport,
      environmentVariables: environmentVariables.filter(({ isRequired }) => isRequired),
    };
  }
}
