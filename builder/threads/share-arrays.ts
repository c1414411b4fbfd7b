/**
 * Returns a copy of a value whose typed arrays are in memory that threads share. An array that
 * stands in several places is copied once.
 */
export function shareArrays<T>(value: T, known = new Map<unknown, unknown>()): T {
  if (value === null || typeof value !== 'object') return value;
  const copied = known.get(value);
  if (copied !== undefined) return copied as T;
  const copy = ArrayBuffer.isView(value) ? shared(value) : membersShared(value, known);
  known.set(value, copy);
  return copy as T;
}

function membersShared(value: object, known: Map<unknown, unknown>): object {
  if (Array.isArray(value)) return value.map((member) => shareArrays(member, known));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, shareArrays(member, known)]),
  );
}

function shared(array: ArrayBufferView): ArrayBufferView {
  if (array.buffer instanceof SharedArrayBuffer) return array;
  const buffer = new SharedArrayBuffer(array.byteLength);
  const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  new Uint8Array(buffer).set(bytes);
  return new (array.constructor as new (buffer: SharedArrayBuffer) => ArrayBufferView)(buffer);
}
