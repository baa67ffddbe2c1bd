import { dequantize, type QuantizedTensor, zeroPoint } from './tfjs-weights.js';

/** A matrix [rows, columns] in row-major order; an element is worth `scale * (byte - zeroPoint)`. */
export interface Matrix {
  readonly rows: number;
  readonly columns: number;
  readonly bytes: Uint8Array;
  readonly scale: number;
  readonly zeroPoint: number;
}

export interface Dense {
  readonly kernel: Matrix;
  readonly bias: Float32Array;
}

export interface LayerNorm {
  readonly gamma: Float32Array;
  readonly beta: Float32Array;
}

export interface BertLayer {
  readonly query: Dense;
  readonly key: Dense;
  readonly value: Dense;
  readonly attentionOutput: Dense;
  readonly attentionNorm: LayerNorm;
  readonly intermediate: Dense;
  readonly output: Dense;
  readonly outputNorm: LayerNorm;
}

/** The weights of a BERT encoder, by the names of the paper. */
export interface BertWeights {
  readonly words: Matrix;
  readonly positions: Matrix;
  readonly tokenTypes: Matrix;
  readonly embeddingsNorm: LayerNorm;
  readonly layers: readonly BertLayer[];
}

const root = 'StatefulPartitionedCall/model/tf_bert_model/bert';

/** Finds a BERT encoder of `layers` layers among the tensors of the TensorFlow.js graph. */
export function readBertWeights(tensors: ReadonlyMap<string, QuantizedTensor>, layers: number): BertWeights {
  const tensor = (name: string): QuantizedTensor => {
    const found = tensors.get(name);
    if (!found) throw new Error(`the TensorFlow.js model has no weight called ${name}`);
    return found;
  };
  const matrix = (name: string): Matrix => {
    const found = tensor(name);
    const [rows, columns] = found.shape;
    if (rows === undefined || columns === undefined) throw new Error(`weight ${name} is no matrix`);
    return { rows, columns, bytes: found.bytes, scale: found.scale, zeroPoint: zeroPoint(name, found) };
  };
  const dense = (name: string): Dense => ({
    kernel: matrix(`${name}/Tensordot/ReadVariableOp`),
    bias: dequantize(tensor(`${name}/BiasAdd/ReadVariableOp`)),
  });
  // TensorFlow computes x * (gamma / deviation) + (beta - …): the factor called "mul" is gamma, the other is beta.
  const layerNorm = (name: string): LayerNorm => ({
    gamma: dequantize(tensor(`${name}/batchnorm/mul/ReadVariableOp`)),
    beta: dequantize(tensor(`${name}/batchnorm/ReadVariableOp`)),
  });
  const layer = (name: string): BertLayer => ({
    query: dense(`${name}/attention/self/query`),
    key: dense(`${name}/attention/self/key`),
    value: dense(`${name}/attention/self/value`),
    attentionOutput: dense(`${name}/attention/output/dense`),
    attentionNorm: layerNorm(`${name}/attention/output/LayerNorm`),
    intermediate: dense(`${name}/intermediate/dense`),
    output: dense(`${name}/output/dense`),
    outputNorm: layerNorm(`${name}/output/LayerNorm`),
  });
  return {
    // The converter lost the names of the three embedding tables; their shapes tell them apart.
    words: matrix('unknown'),
    positions: matrix('unknown_0'),
    tokenTypes: matrix('unknown_1'),
    embeddingsNorm: layerNorm(`${root}/embeddings/LayerNorm`),
    layers: Array.from({ length: layers }, (_, index) => layer(`${root}/encoder/layer_._${index}`)),
  };
}
