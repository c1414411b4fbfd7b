import { createReadStream } from 'node:fs';
import type { Geometry } from 'geojson';
import { messageOf } from '../../shards/error-facts.ts';
import { BuildError } from '../errors.ts';
import { unreadable } from './fingerprint.ts';

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
 * feature, not the file. `onBytes` receives the number of bytes read so far. Throws a `BuildError`
 * that names the feature for text that is not JSON, a truncated file, and coordinates that are not
 * WGS84.
 */
export async function* readGeoJson(
  path: string,
  onBytes: (done: number) => void = () => {},
): AsyncGenerator<FeatureRecord> {
  const splitter = new FeatureSplitter(path);
  let bytes = 0;
  let number = 0;
  for await (const chunk of chunksOf(path)) {
    for (const text of splitter.push(chunk)) yield toFeature(`${path}: feature ${++number}`, text);
    bytes += chunk.length;
    onBytes(bytes);
  }
  splitter.end(number);
}

const CHUNK_BYTES = 1 << 20;

async function* chunksOf(path: string): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(path, { highWaterMark: CHUNK_BYTES });
  } catch (error) {
    throw unreadable(path, error);
  }
}

function toFeature(where: string, text: Buffer): FeatureRecord {
  const { type, id, properties, geometry } = parseObject(text, where);
  if (type !== 'Feature') {
    const found = JSON.stringify(type) ?? 'missing';
    throw new BuildError(`${where}: its "type" is ${found}; GeoJSON features are needed`);
  }
  return {
    where,
    id,
    properties: (properties ?? {}) as Record<string, unknown>,
    geometry: (geometry ?? null) as Geometry | null,
  };
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

function parseObject(text: Buffer, where: string): Record<string, unknown> {
  try {
    return JSON.parse(UTF8.decode(text));
  } catch (error) {
    const problem = messageOf(error);
    throw new BuildError(`${where}: is not JSON in UTF-8 (${problem}); export the file again`);
  }
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OBJECT, OBJECT_END, ARRAY, ARRAY_END] = [0x7b, 0x7d, 0x5b, 0x5d];
const BEFORE_FEATURES = /"features"\s*:\s*$/;
/** Names of longitude and latitude on WGS84 in a `crs`, which GeoJSON had before RFC 7946. */
const WGS84 = /(CRS84|EPSG:.*4326)$/;
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
        } else if (this.#depth < this.#featureDepth) {
          this.#featureDepth = this.#depth === 0 ? 0 : NOWHERE;
        }
      }
    }
    if (this.#depth > this.#featureDepth) this.#hold(chunk.subarray(start));
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
    const { type, crs } = parseObject(Buffer.concat([head, Buffer.from('[]}')]), this.#path);
    if (type !== undefined && type !== 'FeatureCollection') return false;
    const name = (crs as { properties?: { name?: unknown } } | null | undefined)?.properties?.name;
    if (name !== undefined && !WGS84.test(String(name))) {
      throw new BuildError(
        `${this.#path}: its coordinates are in ${name}; export it in longitude and latitude (EPSG:4326)`,
      );
    }
    this.#isGeoJson = true;
    return true;
  }
}
