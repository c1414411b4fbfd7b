/** Reads and writes a value in an address. `read` returns undefined for an invalid text. */
export interface Codec<T> {
  read(text: string): T | undefined;
  write(value: T): string;
}

/** A member of an address: its key, its name for users, and its value if it is left out. */
export interface Member<T> extends Codec<T> {
  readonly key: string;
  readonly what: string;
  readonly initial: T;
}

export function oneOf<T extends string>(values: readonly T[]): Codec<T> {
  return { read: (text) => values.find((value) => value === text), write: String };
}

export function matching(pattern: RegExp): Codec<string> {
  return { read: (text) => (pattern.test(text) ? text : undefined), write: String };
}

export function wholeNumber(min: number, max: number): Codec<number> {
  return {
    read(text) {
      const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
      return value >= min && value <= max ? value : undefined;
    },
    write: String,
  };
}

/** A codec of one to `most` values, separated by commas. */
export function listOf<T>({ read, write }: Codec<T>, most: number): Codec<readonly T[]> {
  return {
    read(text) {
      const values = text.split(',').map(read);
      const isValid = values.length <= most && values.every((value) => value !== undefined);
      return isValid ? (values as T[]) : undefined;
    },
    write: (values) => values.map(write).join(),
  };
}

/** A member that may be left out, which means null. */
export function optional<T>(
  key: string,
  what: string,
  { read, write }: Codec<T>,
): Member<T | null> {
  const initial = null;
  return { key, what, initial, read, write: (value) => (value === null ? '' : write(value)) };
}

export function withDefault<T>(key: string, what: string, initial: T, codec: Codec<T>): Member<T> {
  return { key, what, initial, ...codec };
}

export interface Point {
  readonly lat: number;
  readonly lon: number;
}

/** A point as `latitude,longitude`. */
export const pointCodec: Codec<Point> = {
  read: (text) => readPoint(text.split(',')),
  write: ({ lat, lon }) => `${degrees(lat)},${degrees(lon)}`,
};

/** Reads latitude and longitude; undefined outside what a web map shows. */
export function readPoint(parts: readonly string[]): Point | undefined {
  const [lat, lon] = parts.map((part) => (/^-?\d/.test(part) ? Number(part) : Number.NaN));
  const isPoint = parts.length === 2 && Math.abs(lat) <= 85 && Math.abs(lon) <= 180;
  return isPoint ? { lat, lon } : undefined;
}

/** Rounds to six decimals: a tenth of a metre. */
export function degrees(value: number): number {
  return +value.toFixed(6);
}
