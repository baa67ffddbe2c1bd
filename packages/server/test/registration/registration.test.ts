import { existsSync } from 'node:fs';
import { v0_3 } from '@anthropic-ai/mcpb';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import packageFile from '../../package.json' with { type: 'json' };
import { variableRows } from '../../src/config/table.js';
import { connectClient, startServer } from '../http/test-server.js';

// A script, so without types.
const script = new URL('../../scripts/registration.mjs', import.meta.url).href;
const { bundleManifest, registryEntry } = await import(script);
const variables = new Set<string>(variableRows().map(({ name }) => name));

describe('the manifest of the bundle', () => {
  const manifest = bundleManifest({ platform: 'linux', node: '20.20.2' });

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
    expect(manifest.compatibility).toEqual({ platforms: ['linux'], runtimes: { node: '>=20.0.0 <21' } });
  });
});

describe("the registry's entry", () => {
  // The rules of the registry's schema of 2025-12-11 that concern what we write.
  const rules = z.strictObject({
    $schema: z.url(),
    name: z
      .string()
      .min(3)
      .max(200)
      .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
    title: z.string().min(1).max(100),
    description: z.string().min(1).max(100),
    version: z.string().regex(/^\d+\.\d+\.\d+/),
    packages: z.tuple([
      z.strictObject({
        registryType: z.literal('mcpb'),
        identifier: z.url({ protocol: /^https$/ }).regex(/mcpb/),
        version: z.literal(packageFile.version),
        fileSha256: z.string().regex(/^[a-f0-9]{64}$/),
        transport: z.strictObject({ type: z.literal('stdio') }),
        environmentVariables: z.array(
          z.strictObject({
            name: z.string().refine((name) => variables.has(name)),
            description: z.string(),
            format: z.enum(['string', 'number', 'boolean', 'filepath']),
            isRequired: z.boolean(),
          }),
        ),
      }),
    ]),
  });

  it('keeps the rules', () => {
    const entry = registryEntry({
      name: 'io.github.someone/kettle',
      url: 'https://example.com/releases/kettle.mcpb',
      sha256: 'a'.repeat(64),
    });
    expect(rules.parse(entry)).toEqual(entry);
  });
});
