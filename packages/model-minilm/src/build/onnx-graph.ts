import onnxProto from 'onnx-proto';

const { onnx } = onnxProto;
const { DataType } = onnx.TensorProto;
const { AttributeType } = onnx.AttributeProto;

/** Domain of onnxruntime's own operators. */
export const microsoft = 'com.microsoft';

export type Dimension = number | string;

/** Collects nodes and constants, and writes them as an ONNX model. Values are referred to by name. */
export class OnnxGraph {
  readonly #nodes: onnxProto.onnx.INodeProto[] = [];
  readonly #constants: onnxProto.onnx.ITensorProto[] = [];
  readonly #inputs: onnxProto.onnx.IValueInfoProto[] = [];
  readonly #outputs: onnxProto.onnx.IValueInfoProto[] = [];

  /** An int64 input, as tokenizers give. */
  input(name: string, shape: readonly Dimension[]): string {
    this.#inputs.push(valueInfo(name, DataType.INT64, shape));
    return name;
  }

  /** A float32 output. The value of this name must come from a node. */
  output(name: string, shape: readonly Dimension[]): void {
    this.#outputs.push(valueInfo(name, DataType.FLOAT, shape));
  }

  floats(name: string, values: Float32Array, dims: readonly number[] = [values.length]): string {
    // Typed arrays are little-endian on every platform Node runs on, and so is ONNX.
    return this.#constant(name, DataType.FLOAT, dims, bytesOf(values));
  }

  bytes(name: string, values: Uint8Array, dims: readonly number[] = [values.length]): string {
    return this.#constant(name, DataType.UINT8, dims, values);
  }

  longs(name: string, values: readonly number[], dims: readonly number[] = [values.length]): string {
    return this.#constant(name, DataType.INT64, dims, bytesOf(BigInt64Array.from(values, BigInt)));
  }

  /** Adds a node and gives the names of its outputs: its own name, then `name_1`, `name_2`, …. */
  node(name: string, opType: string, inputs: readonly string[], options: NodeOptions = {}): string[] {
    const { domain = '', attributes = {}, outputs = 1 } = options;
    const names = Array.from({ length: outputs }, (_, index) => (index === 0 ? name : `${name}_${index}`));
    this.#nodes.push({
      name,
      opType,
      domain,
      input: [...inputs],
      output: names,
      attribute: Object.entries(attributes).map(([key, value]) => attribute(key, value)),
    });
    return names;
  }

  #constant(name: string, dataType: number, dims: readonly number[], rawData: Uint8Array): string {
    this.#constants.push({ name, dataType, dims: [...dims], rawData });
    return name;
  }

  /** The model file. The same calls give the same bytes. */
  encode(name: string, producer: string): Uint8Array {
    const model = onnx.ModelProto.create({
      irVersion: 8,
      producerName: producer,
      opsetImport: [
        { domain: '', version: 17 },
        { domain: microsoft, version: 1 },
      ],
      graph: {
        name,
        node: this.#nodes,
        initializer: this.#constants,
        input: this.#inputs,
        output: this.#outputs,
      },
    });
    return onnx.ModelProto.encode(model).finish();
  }
}

export interface NodeOptions {
  /** @default '' (ONNX's own operators) */
  readonly domain?: string;
  readonly attributes?: Readonly<Record<string, AttributeValue>>;
  /** @default 1 */
  readonly outputs?: number;
}

/** ONNX tells whole numbers from real ones, JavaScript doesn't, so the attribute says which it is. */
export type AttributeValue = { readonly int: number } | { readonly float: number };

function attribute(name: string, value: AttributeValue): onnxProto.onnx.IAttributeProto {
  return 'int' in value
    ? { name, type: AttributeType.INT, i: value.int }
    : { name, type: AttributeType.FLOAT, f: value.float };
}

function valueInfo(
  name: string,
  elemType: number,
  shape: readonly Dimension[],
): onnxProto.onnx.IValueInfoProto {
  const dim = shape.map((size) => (typeof size === 'number' ? { dimValue: size } : { dimParam: size }));
  return { name, type: { tensorType: { elemType, shape: { dim } } } };
}

function bytesOf(values: Float32Array | BigInt64Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}
