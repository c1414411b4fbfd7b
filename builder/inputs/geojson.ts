import { createReadStream } from 'node:fs';
import type { Geometry } from 'geojson';
import { messageOf } from '../../shards/error-facts.ts';
import { BuildError } from '../errors.ts';
import { isIdLikeWgs84, otherCoordinates } from './crs.ts';
import { unreadable } from './fingerprint.ts';
import { bytesOfText, decodePieces } from './text.ts';

/** A feature of a file of any format. Its members are unchecked. */
export interface FeatureRecord {
  /** Position for error messages: `places.geojson: feature 3`, counted from 1. */
  readonly where: string;
  readonly id: unknown;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly geometry: Geometry | null;
}

/**
 * Reads the features of a GeoJSON file (RFC 7946) one by one: a FeatureCollection, or consecutive
 * features, newline-delimited or as a text sequence (RFC 8142). Memory depends on the largest
 * feature, not the file. `onBytes` receives the number of bytes read so far. Features with text
 * that is not UTF-8, which is read as Windows-1252, are counted in a note. Throws a `BuildError`
 * that names the feature for text that is not JSON, a truncated file, and coordinates that are not
 * WGS84, possibly only after the last feature, so features are valid only once all have been read.
 */
export async function* readGeoJson(
  path: string,
  onBytes: (done: number) => void = () => {},
  note: (line: string) => void = () => {},
): AsyncGenerator<FeatureRecord> {
  const splitter = new FeatureSplitter(path);
  let bytes = 0;
  let number = 0;
  let guessed = 0;
  for await (const chunk of bytesOfText(path, chunksOf(path))) {
    for (const part of splitter.push(chunk)) {
      const where = `${path}: feature ${++number}`;
      const { text, guessedAt } = decodePieces(part);
      if (guessedAt.length > 0) guessed++;
      yield toFeature(where, text);
    }
    bytes += chunk.length;
    onBytes(bytes);
  }
  splitter.end(number);
  if (guessed > 0) {
    note(`${path}: ${guessed} × a feature with text that is not UTF-8; read as Windows-1252`);
  }
}

const CHUNK_BYTES = 1 << 20;

async function* chunksOf(path: string): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(path, { highWaterMark: CHUNK_BYTES });
  } catch (error) {
    throw unreadable(path, error);
  }
}

function toFeature(where: string, text: string): FeatureRecord {
  const { type, id, properties, geometry, crs } = parseObject(text, where);
  if (type !== 'Feature') {
    const found = JSON.stringify(type) ?? 'missing';
    throw new BuildError(`${where}: its "type" is ${found}; GeoJSON features are needed`);
  }
  checkCrs(where, crs);
  return {
    where,
    id,
    properties: (properties ?? {}) as Record<string, unknown>,
    geometry: (geometry ?? null) as Geometry | null,
  };
}

function parseObject(text: string, where: string): Record<string, unknown> {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = messageOf(error).replaceAll(/\p{Cc}/gu, '\ufffd');
    throw new BuildError(`${where}: is not JSON (${reason}); export the file again`);
  }
}

/** Names of systems like WGS84 in a `crs`, which GeoJSON had before RFC 7946. */
const CRS_NAME = /(?:^|[:/])(EPSG|OGC)[:/](?:[\d.]*[:/])?(\w+)$/i;

/** Throws a `BuildError` for a `crs` of coordinates that are not like WGS84. */
function checkCrs(where: string, crs: unknown): void {
  if (crs === undefined || crs === null) return;
  const { name, code } = (crs as { properties?: Record<string, unknown> | null }).properties ?? {};
  const text = String(
    name ?? (code === undefined ? 'an unknown reference system' : `EPSG:${code}`),
  );
  const [, authority = '', number = ''] = CRS_NAME.exec(text) ?? [];
  if (!isIdLikeWgs84(authority, number)) throw otherCoordinates(where, text);
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OBJECT, OBJECT_END, ARRAY, ARRAY_END] = [0x7b, 0x7d, 0x5b, 0x5d];
const BEFORE_FEATURES = /"features"\s*:\s*$/;
/** Maximum size of a feature; a larger one has a bracket or a quote that is never closed. */
const MAX_FEATURE_BYTES = 1 << 28;
/** A depth at which no object is a feature: after the features of a collection. */
const NOWHERE = Number.POSITIVE_INFINITY;

/**
 * Splits the bytes of a file, as they arrive, into the texts of its features: the elements of the
 * `features` of a collection, or else consecutive objects. It tracks only strings and nesting; the
 * parser validates the JSON.
 */
class FeatureSplitter {
  readonly #path: string;
  /** Earlier chunks of the object that is being read. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** The depth at which an object is a feature: 0, or 2 within the `features` of a collection. */
  #featureDepth = 0;
  #isGeoJson = false;
  /** Whether the members after the features of a collection are being read. */
  #isAfterFeatures = false;

  constructor(path: string) {
    this.#path = path;
  }

  *push(chunk: Buffer): Generator<Buffer> {
    let start = 0;
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i];
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === BACKSLASH) this.#escaped = true;
        else if (byte === QUOTE) this.#inString = false;
      } else if (byte === QUOTE) {
        this.#inString = true;
      } else if (byte === OBJECT || byte === ARRAY) {
        if (this.#depth === this.#featureDepth) {
          start = i;
        } else if (byte === ARRAY && this.#depth === 1 && this.#featureDepth === 0) {
          const head = this.#take(chunk, start, i);
          if (this.#opensCollection(head)) this.#featureDepth = 2;
          else this.#hold(head);
          start = i;
        }
        this.#depth++;
      } else if (byte === OBJECT_END || byte === ARRAY_END) {
        this.#depth--;
        if (this.#depth === this.#featureDepth && byte === OBJECT_END) {
          this.#isGeoJson = true;
          yield this.#take(chunk, start, i + 1);
        } else if (this.#isAfterFeatures && this.#depth === 0) {
          this.#checkEnd(this.#take(chunk, start, i + 1));
          this.#isAfterFeatures = false;
          this.#featureDepth = 0;
        } else if (this.#featureDepth === 2 && this.#depth === 1) {
          this.#isAfterFeatures = true;
          this.#featureDepth = NOWHERE;
          start = i + 1;
        }
      }
    }
    if (this.#depth > this.#featureDepth || this.#isAfterFeatures)
      this.#hold(chunk.subarray(start));
  }

  /** Throws unless the file is complete, given the number of features read. */
  end(features: number): void {
    if (this.#depth !== 0) {
      throw new BuildError(
        `${this.#path}: the file is truncated, or a bracket is missing, after feature ${features}; export it again`,
      );
    }
    if (!this.#isGeoJson) {
      throw new BuildError(
        `${this.#path}: contains no GeoJSON; a FeatureCollection, or one Feature per line, is needed`,
      );
    }
  }

  #hold(part: Buffer): void {
    this.#held.push(part);
    this.#heldBytes += part.length;
    if (this.#heldBytes > MAX_FEATURE_BYTES) {
      throw new BuildError(
        `${this.#path}: has a feature of more than ${MAX_FEATURE_BYTES >> 20} MB, or an unclosed quote or bracket; export it again`,
      );
    }
  }

  #take(chunk: Buffer, start: number, end: number): Buffer {
    const last = chunk.subarray(start, end);
    if (this.#held.length === 0) return last;
    const whole = Buffer.concat([...this.#held, last]);
    this.#held = [];
    this.#heldBytes = 0;
    return whole;
  }

  /** Whether an array after this text is the `features` of a collection. */
  #opensCollection(head: Buffer): boolean {
    if (!BEFORE_FEATURES.test(head.toString('latin1'))) return false;
    const { type, crs } = parseObject(`${head}[]}`, this.#path);
    if (type !== undefined && type !== 'FeatureCollection') return false;
    checkCrs(this.#path, crs);
    this.#isGeoJson = true;
    return true;
  }

  /** Checks the members after the features of a collection, which end with its brace. */
  #checkEnd(tail: Buffer): void {
    checkCrs(this.#path, parseObject(`{"features":[]${tail}`, this.#path).crs);
  }
}
