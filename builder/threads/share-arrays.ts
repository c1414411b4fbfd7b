/** Returns a copy of a value whose typed arrays are in memory that threads share. */
export function shareArrays<T>(value: T): T {
  if (ArrayBuffer.isView(value)) return shared(value) as T;
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, shareArrays(member)]),
  ) as T;
}

function shared(array: ArrayBufferView): ArrayBufferView {
  if (array.buffer instanceof SharedArrayBuffer) return array;
  const buffer = new SharedArrayBuffer(array.byteLength);
  const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  new Uint8Array(buffer).set(bytes);
  return new (array.constructor as new (buffer: SharedArrayBuffer) => ArrayBufferView)(buffer);
}
