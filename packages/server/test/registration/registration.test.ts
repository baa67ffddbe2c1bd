import { existsSync } from 'node:fs';
import { v0_3 } from '@anthropic-ai/mcpb';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import serverFile from '../../../../server.json' with { type: 'json' };
import packageFile from '../../package.json' with { type: 'json' };
import { backends } from '../../src/backends.js';
import { variableRows } from '../../src/config/table.js';
import { connectClient, startServer } from '../http/test-server.js';

// A script, so without types.
const script = new URL('../../scripts/registration.mjs', import.meta.url).href;
const { bundleManifest, registryEntry } = await import(script);
const variables = new Set<string>(variableRows().map(({ name }) => name));

describe('the manifest of the bundle', () => {
  const manifest = bundleManifest({ platform: 'linux', arch: 'x64', node: '20.20.2' });

  it('is valid, and strictly so: no field is misspelt', () => {
    const shape = v0_3.McpbManifestSchema;
    expect(shape.safeParse(manifest).success).toBe(true);
    expect(shape.safeParse({ ...manifest, mispelt: true }).success).toBe(false);
  });

  it('tells the truth', async () => {
    const { client } = await connectClient((await startServer()).url);
    const { tools } = await client.listTools();
    expect(manifest.version).toBe(packageFile.version);
    expect(manifest.tools.map(({ name }: { name: string }) => name)).toEqual(tools.map(({ name }) => name));
    for (const name of Object.keys(manifest.server.mcp_config.env)) expect(variables).toContain(name);
    expect(existsSync(new URL(`../../${manifest.server.entry_point}`, import.meta.url))).toBe(true);
  });

  it('says where the bundle fits: its compiled parts are for one system, one processor and one major version of Node', () => {
    expect(manifest.compatibility).toEqual({ platforms: ['linux'], runtimes: { node: '>=20.19.0 <21' } });
    expect(manifest.long_description).toContain('for Linux on x64, with Node 20.');
    const other = bundleManifest({ platform: 'darwin', arch: 'arm64', node: '24.3.0' });
    expect(other.compatibility).toEqual({ platforms: ['darwin'], runtimes: { node: '>=24.0.0 <25' } });
    expect(other.long_description).toContain('for macOS on arm64, with Node 24.');
  });
});

describe("the registry's entry", () => {
  // The rules of the registry's schema of 2025-12-11 that concern what we write, and no field beside them.
  const specific = z.string().regex(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
  const shared = {
    transport: z.strictObject({ type: z.literal('stdio') }),
    environmentVariables: z.array(
      z.strictObject({
        name: z.string().refine((name) => variables.has(name)),
        description: z.string().min(1),
        format: z.enum(['string', 'number', 'boolean', 'filepath']),
        isRequired: z.boolean().optional(),
        isSecret: z.boolean().optional(),
        default: z.string().optional(),
        choices: z.array(z.string()).optional(),
      }),
    ),
  };
  const npmPackage = z.strictObject({
    ...shared,
    registryType: z.literal('npm'),
    identifier: z.literal(packageFile.name),
    version: z.literal(packageFile.version),
    runtimeHint: z.literal('npx'),
    packageArguments: z.array(z.strictObject({ type: z.literal('positional'), value: z.string() })),
  });
  const bundle = z.strictObject({
    ...shared,
    registryType: z.literal('mcpb'),
    identifier: z.url({ protocol: /^https$/ }).regex(/mcpb/),
    fileSha256: z.string().regex(/^[a-f0-9]{64}$/),
  });
  const rules = z.strictObject({
    $schema: z.literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
    name: z
      .string()
      .min(3)
      .max(200)
      .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
    title: z.string().min(1).max(100),
    description: z.string().min(1).max(100),
    version: specific,
    packages: z.array(z.discriminatedUnion('registryType', [npmPackage, bundle])).min(1),
  });

  const offered = { url: 'https://example.com/releases/kettle.mcpb', sha256: 'a'.repeat(64) };

  it('keeps the rules', () => {
    for (const entry of [registryEntry(), registryEntry(offered)]) expect(rules.parse(entry)).toEqual(entry);
    expect(registryEntry(offered).packages).toHaveLength(2);
  });

  it.each<[string, (entry: { [field: string]: unknown; packages: Record<string, unknown>[] }) => void]>([
    ['a name without its owner', (entry) => (entry.name = 'kettle')],
    ['a name of three parts', (entry) => (entry.name = 'io.github/wandering-kettle/kettle')],
    ['a description of more than 100 characters', (entry) => (entry.description = 'x'.repeat(101))],
    ['no version', (entry) => delete entry.version],
    ['a range of versions', (entry) => (entry.packages[0]!.version = '^1.0.0')],
    ['the latest version', (entry) => (entry.packages[0]!.version = 'latest')],
    ['no transport', (entry) => delete entry.packages[0]!.transport],
    [
      'an argument without a value',
      (entry) => (entry.packages[0]!.packageArguments = [{ type: 'positional' }]),
    ],
    ['a bundle without its hash', (entry) => delete entry.packages[1]!.fileSha256],
    ['a hash in capitals', (entry) => (entry.packages[1]!.fileSha256 = 'A'.repeat(64))],
    ['a misspelt field', (entry) => (entry.websiteURL = 'https://example.com')],
  ])('would not keep them with %s', (_, spoil) => {
    const entry = registryEntry(offered);
    spoil(entry);
    expect(rules.safeParse(entry).success).toBe(false);
  });

  it('is the one that is committed, under the name that the package says it has', () => {
    // `pnpm --filter server generate` writes it.
    expect(serverFile).toEqual(registryEntry());
    expect(serverFile.name).toBe(packageFile.mcpName);
  });

  it('asks for the folder, hides what is secret, and says nothing of HTTP', () => {
    const inputs = new Map<string, object>(
      serverFile.packages[0]!.environmentVariables.map((input) => [input.name, input]),
    );
    expect(inputs.get('CORPUS_DIR')).toMatchObject({ isRequired: true, format: 'filepath' });
    expect(inputs.get('CHROMA_API_KEY')).toMatchObject({ isSecret: true });
    expect(inputs.get('CHROMA_TIMEOUT_MS')).toMatchObject({ default: '10000', format: 'number' });
    expect(inputs.get('VECTOR_BACKEND')).toMatchObject({
      default: 'hnsw',
      choices: backends.map(({ name }) => name),
    });
    expect([...inputs.keys()].filter((name) => /^(MCP_|HOST|PORT)/.test(name))).toEqual([]);
  });
});
