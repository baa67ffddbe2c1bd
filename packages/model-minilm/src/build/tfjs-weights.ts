/** One tensor of a TensorFlow.js model, as stored: one byte an element, with one scale and minimum for all. */
export interface QuantizedTensor {
  readonly shape: readonly number[];
  readonly bytes: Uint8Array;
  readonly scale: number;
  readonly min: number;
}

interface ManifestEntry {
  readonly name: string;
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly quantization?: { readonly dtype: string; readonly min: number; readonly scale: number };
}

/** The part of `model.json` that describes the weights. */
export interface TfjsModel {
  readonly weightsManifest: readonly { readonly weights: readonly ManifestEntry[] }[];
}

/**
 * Cuts the weights file of a TensorFlow.js model into its quantised tensors, by name. The manifest gives no
 * offsets: tensors lie one after the other, each as long as its stored type makes it. Unquantised tensors
 * (shapes, axes and other small constants of the TensorFlow graph) are passed over.
 */
export function readTfjsWeights(model: TfjsModel, data: Uint8Array): ReadonlyMap<string, QuantizedTensor> {
  const tensors = new Map<string, QuantizedTensor>();
  let offset = 0;
  for (const entry of model.weightsManifest.flatMap((group) => group.weights)) {
    const elements = entry.shape.reduce((product, size) => product * size, 1);
    const length = elements * bytesPerElement(entry);
    if (entry.quantization) {
      const { min, scale } = entry.quantization;
      const bytes = data.subarray(offset, offset + length);
      tensors.set(entry.name, { shape: entry.shape, bytes, scale, min });
    }
    offset += length;
  }
  if (offset !== data.length) {
    throw new Error(`the weights manifest describes ${offset} bytes, but the file has ${data.length}`);
  }
  return tensors;
}

function bytesPerElement({ name, dtype, quantization }: ManifestEntry): number {
  const stored = quantization?.dtype ?? dtype;
  if (stored === 'uint8') return 1;
  if (stored === 'int32' || stored === 'float32') return 4;
  throw new Error(`weight ${name} is stored as ${stored}; only uint8, int32 and float32 are known`);
}

/** The real numbers behind the bytes. */
export function dequantize({ bytes, scale, min }: QuantizedTensor): Float32Array {
  return Float32Array.from(bytes, (byte) => byte * scale + min);
}

/** The byte that stands for 0. Only matrices have one: their `min` is a whole multiple of `scale`. */
export function zeroPoint(name: string, { scale, min }: QuantizedTensor): number {
  const exact = -min / scale;
  const rounded = Math.round(exact);
  if (Math.abs(exact - rounded) > 1e-3 || rounded < 0 || rounded > 255) {
    throw new Error(`weight ${name} has no byte for zero (min ${min}, scale ${scale})`);
  }
  return rounded;
}
