import type { BertLayer, BertWeights, Dense, LayerNorm, Matrix } from './bert-weights.js';
import { microsoft, OnnxGraph } from './onnx-graph.js';

/** What the weights alone don't tell. */
export interface BertShape {
  readonly heads: number;
  readonly layerNormEpsilon: number;
}

/**
 * A BERT encoder as an ONNX graph of onnxruntime's fused operators. Inputs `input_ids`, `attention_mask` and
 * `token_type_ids` [batch, sequence] int64, output `last_hidden_state` [batch, sequence, hidden] float32.
 *
 * The matrices stay the bytes they were; activations are quantised on the fly, as the Dynamic… operators do.
 */
export function bertGraph(weights: BertWeights, shape: BertShape): OnnxGraph {
  const graph = new OnnxGraph();
  const hidden = weights.words.columns;
  const inputs = ['input_ids', 'attention_mask', 'token_type_ids'] as const;
  for (const name of inputs) graph.input(name, ['batch', 'sequence']);

  const [mask] = graph.node('mask', 'Cast', ['attention_mask'], { attributes: { to: { int: INT32 } } });
  let state = embeddings(graph, weights, shape);
  for (const [index, layer] of weights.layers.entries()) {
    const last = index === weights.layers.length - 1;
    state = encoderLayer(graph, `layer.${index}`, last ? 'last_hidden_state' : undefined, layer, state, {
      ...shape,
      mask: mask!,
    });
  }
  graph.output('last_hidden_state', ['batch', 'sequence', hidden]);
  return graph;
}

const INT32 = 6;

function embeddings(graph: OnnxGraph, weights: BertWeights, { layerNormEpsilon }: BertShape): string {
  const words = lookup(graph, 'embeddings.words', weights.words, 'input_ids');
  const types = lookup(graph, 'embeddings.types', weights.tokenTypes, 'token_type_ids');

  // Positions 0, 1, 2, … up to the length of this input, the same for each text of the batch.
  const [size] = graph.node('embeddings.shape', 'Shape', ['input_ids'], {
    attributes: { start: { int: 1 }, end: { int: 2 } },
  });
  const [length] = graph.node('embeddings.length', 'Squeeze', [size!]);
  const [range] = graph.node('embeddings.range', 'Range', [
    graph.longs('embeddings.zero', [0], []),
    length!,
    graph.longs('embeddings.one', [1], []),
  ]);
  const positions = lookup(graph, 'embeddings.positions', weights.positions, range!);

  const [placed] = graph.node('embeddings.placed', 'Add', [types, positions]);
  return addAndNormalize(graph, 'embeddings.norm', words, placed!, weights.embeddingsNorm, layerNormEpsilon);
}

/** Rows of a table: gathered as bytes, so that only the rows in use are turned into floats. */
function lookup(graph: OnnxGraph, name: string, table: Matrix, indices: string): string {
  const bytes = matrix(graph, name, table);
  const [rows] = graph.node(`${name}.rows`, 'Gather', [bytes.values, indices]);
  const [floats] = graph.node(name, 'DequantizeLinear', [rows!, bytes.scale, bytes.zeroPoint]);
  return floats!;
}

function encoderLayer(
  graph: OnnxGraph,
  name: string,
  outputName: string | undefined,
  layer: BertLayer,
  input: string,
  { heads, layerNormEpsilon, mask }: BertShape & { mask: string },
): string {
  const attention = selfAttention(graph, `${name}.attention`, layer, input, heads, mask);
  const mixed = matMul(graph, `${name}.attention.output`, layer.attentionOutput.kernel, attention, {
    bias: layer.attentionOutput.bias,
  });
  const attended = addAndNormalize(
    graph,
    `${name}.attention.norm`,
    mixed,
    input,
    layer.attentionNorm,
    layerNormEpsilon,
  );
  const wide = matMul(graph, `${name}.intermediate`, layer.intermediate.kernel, attended);
  const bias = graph.floats(`${name}.intermediate.bias`, layer.intermediate.bias);
  const [active] = graph.node(`${name}.gelu`, 'BiasGelu', [wide, bias], { domain: microsoft });
  const narrow = matMul(graph, `${name}.output`, layer.output.kernel, active!, { bias: layer.output.bias });
  return addAndNormalize(
    graph,
    outputName ?? `${name}.norm`,
    narrow,
    attended,
    layer.outputNorm,
    layerNormEpsilon,
  );
}

/** Multi-head attention in one operator, which wants query, key and value side by side in one matrix. */
function selfAttention(
  graph: OnnxGraph,
  name: string,
  layer: BertLayer,
  input: string,
  heads: number,
  mask: string,
): string {
  const parts = [layer.query, layer.key, layer.value];
  const columns = parts.reduce((sum, { kernel }) => sum + kernel.columns, 0);
  const perColumn = (value: (part: Dense) => number): number[] =>
    parts.flatMap((part) => new Array<number>(part.kernel.columns).fill(value(part)));
  const [bytes, scale, zeroPoint] = graph.node(`${name}.quantized`, 'DynamicQuantizeLinear', [input], {
    outputs: 3,
  });
  const inputs = [
    bytes!,
    graph.bytes(`${name}.weight`, besides(parts.map((part) => part.kernel)), [
      layer.query.kernel.rows,
      columns,
    ]),
    graph.floats(`${name}.bias`, Float32Array.from(parts.flatMap((part) => [...part.bias]))),
    scale!,
    graph.floats(`${name}.scale`, Float32Array.from(perColumn((part) => part.kernel.scale))),
    mask,
    zeroPoint!,
    graph.bytes(`${name}.zero`, Uint8Array.from(perColumn((part) => part.kernel.zeroPoint))),
  ];
  const [output] = graph.node(name, 'QAttention', inputs, {
    domain: microsoft,
    attributes: { num_heads: { int: heads } },
  });
  return output!;
}

/** Matrices of as many rows, put side by side. */
function besides(matrices: readonly Matrix[]): Uint8Array {
  const rows = matrices[0]!.rows;
  const columns = matrices.reduce((sum, part) => sum + part.columns, 0);
  const merged = new Uint8Array(rows * columns);
  let left = 0;
  for (const part of matrices) {
    for (let row = 0; row < rows; row++) {
      const from = row * part.columns;
      merged.set(part.bytes.subarray(from, from + part.columns), row * columns + left);
    }
    left += part.columns;
  }
  return merged;
}

function matMul(
  graph: OnnxGraph,
  name: string,
  kernel: Matrix,
  input: string,
  { bias }: { bias?: Float32Array } = {},
): string {
  const { values, scale, zeroPoint } = matrix(graph, name, kernel);
  const inputs = [input, values, scale, zeroPoint];
  if (bias) inputs.push(graph.floats(`${name}.bias`, bias));
  const [output] = graph.node(name, 'DynamicQuantizeMatMul', inputs, { domain: microsoft });
  return output!;
}

function addAndNormalize(
  graph: OnnxGraph,
  name: string,
  input: string,
  skip: string,
  { gamma, beta }: LayerNorm,
  epsilon: number,
): string {
  const inputs = [input, skip, graph.floats(`${name}.gamma`, gamma), graph.floats(`${name}.beta`, beta)];
  const [output] = graph.node(name, 'SkipLayerNormalization', inputs, {
    domain: microsoft,
    attributes: { epsilon: { float: epsilon } },
  });
  return output!;
}

function matrix(graph: OnnxGraph, name: string, { rows, columns, bytes, scale, zeroPoint }: Matrix) {
  return {
    values: graph.bytes(`${name}.weight`, bytes, [rows, columns]),
    scale: graph.floats(`${name}.scale`, Float32Array.of(scale), []),
    zeroPoint: graph.bytes(`${name}.zero`, Uint8Array.of(zeroPoint), []),
  };
}
