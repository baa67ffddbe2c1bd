const constructors = [
  'ArrayBuffer',
  'Uint8Array',
  'Uint8ClampedArray',
  'Uint16Array',
  'Uint32Array',
] as const;
const more = ['Int8Array', 'Int16Array', 'Int32Array', 'Float32Array', 'Float64Array'] as const;

/** Buffers that were refused so far: pdf.js takes a refusal for damage, and goes on with what it has. */
export interface Allocations {
  refused: number;
}

/**
 * Makes this thread refuse buffers of more than `bytes`. A thread's limit of memory does not count them, and a small
 * PDF can hold a stream that unpacks to thousands of times its size.
 */
export function limitAllocations(bytes: number): Allocations {
  const allocations = { refused: 0 };
  for (const name of [...constructors, ...more]) {
    const native = globalThis[name] as unknown as (new (
      ...args: unknown[]
    ) => object) & {
      readonly BYTES_PER_ELEMENT?: number;
    };
    const most = bytes / (native.BYTES_PER_ELEMENT ?? 1);
    const limited = new Proxy(native, {
      construct(target, args, newTarget) {
        if (typeof args[0] === 'number' && args[0] > most) {
          allocations.refused++;
          throw new RangeError('too much memory');
        }
        return Reflect.construct(target, args, newTarget);
      },
    });
    Object.assign(globalThis, { [name]: limited });
  }
  // It collects what it unpacks outside these buffers; pdf.js unpacks itself where it is missing.
  Reflect.deleteProperty(globalThis, 'DecompressionStream');
  return allocations;
}
