/** Index to which a key moves the focus in a row of items; `undefined` if it moves none. */
export function nextByKey(key: string, at: number, length: number): number | undefined {
  const targets: Readonly<Record<string, number>> = {
    ArrowRight: (at + 1) % length,
    ArrowLeft: (at + length - 1) % length,
    Home: 0,
    End: length - 1,
  };
  return targets[key];
}
