import { hash } from 'node:crypto';
import { BlockIndex } from '../../shards/blocks/block-index.ts';
import { writeFlatGeobuf } from '../../shards/fgb/writer.ts';
import {
  COUNTY_OBJECT_KINDS,
  type CountyManifest,
  type Manifest,
} from '../../shards/release/manifest.ts';
import { Release } from '../../shards/release/release.ts';
import { ReleaseCache } from '../../shards/release/release-cache.ts';
import { FORMAT_VERSION } from '../../shards/store/envelope.ts';
import type { ObjectRef, Store } from '../../shards/store/store.ts';
import { MICRO } from '../../shards/units.ts';
import { boxRing } from './rings.ts';
import { SMALL_TAXONOMY } from './small-release.ts';

/** A county of a wide release: a box, and blocks at the given centres, in degrees. */
export interface WideCounty {
  readonly fips: string;
  readonly box: readonly [west: number, south: number, east: number, north: number];
  readonly centres: readonly (readonly [lon: number, lat: number])[];
}

/**
 * A release of many counties, of which only the indexes and, if requested, the outlines can be
 * read, with a record of these reads.
 */
export interface WideRelease {
  readonly release: Release;
  /** Codes of the counties whose index was read, in the order of the reads. */
  readonly read: string[];
  /** Codes of the counties whose outlines were read, in the order of the reads. */
  readonly outlined: string[];
}

/** Placeholder for objects that are never read. */
const UNREAD = new Uint8Array(0);
const NO_OBJECT: ObjectRef = { name: 'none', bytes: 0, sha256: '0'.repeat(64) };

export function wideRelease(
  counties: readonly WideCounty[],
  { areOutlined = false } = {},
): WideRelease {
  const reads = { index: [] as string[], blocks: [] as string[] };
  const objects = new Map(
    counties.flatMap((county) => [
      [`index/${county.fips}`, indexOf(county)],
      [`blocks/${county.fips}`, areOutlined ? outlineOf(county) : UNREAD],
    ]),
  );
  const store: Store = {
    location: 'memory',
    async readRange({ name }) {
      const [kind, fips] = name.split('/');
      reads[kind as keyof typeof reads].push(fips);
      return objects.get(name)!;
    },
    readWhole: () => Promise.reject(new Error('nothing is read by name')),
    stat: () => Promise.reject(new Error('nothing is asked by name')),
    presignedUrl: () => Promise.resolve(null),
    close: () => Promise.resolve(),
  };
  const manifest: Manifest = {
    format: FORMAT_VERSION,
    release: 'wide',
    directions: ['from', 'to'],
    modes: ['walk', 'bike', 'transit'],
    components: [],
    assumptions: {},
    taxonomy: { version: '1', types: [...SMALL_TAXONOMY] },
    feeds: [],
    feeds_left_out: [],
    poi_lists: [],
    unmapped_values: [],
    weights: [],
    access: [],
    counties: Object.fromEntries(
      counties.map((county) => [county.fips, manifestOf(county, objects)]),
    ),
    states: {},
    objects: { 'dest-ids': NO_OBJECT, 'county-map': NO_OBJECT },
    tiles: {},
  };
  const sha256 = 'a'.repeat(64);
  const latest = {
    release: 'wide',
    manifest: 'none',
    sha256,
    published_at: '2026-01-01T00:00:00Z',
  };
  const release = new Release(store, latest, manifest, new ReleaseCache(1 << 28));
  return { release, read: reads.index, outlined: reads.blocks };
}

/** As many counties as the country has, a quarter of a degree each, with a block in the centre. */
export function wholeCountry(): WideCounty[] {
  const [columns, rows, side] = [80, 40, 0.25];
  return Array.from({ length: columns * rows }, (_, i) => {
    const [west, south] = [-100 + (i % columns) * side, 30 + Math.floor(i / columns) * side];
    return {
      fips: String(10_001 + i),
      box: [west, south, west + side, south + side] as const,
      centres: [[west + side / 2, south + side / 2] as const],
    };
  });
}

function indexOf({ fips, centres }: WideCounty): Uint8Array {
  const link = { status: 'linked', snap: 1 } as const;
  return BlockIndex.encode(
    centres.map(([lon, lat], i) => ({
      geoid: Number(fips) * 1e10 + i,
      population: 1,
      landArea: 1,
      lon: Math.round(lon * MICRO),
      lat: Math.round(lat * MICRO),
      links: [link, link],
    })),
  );
}

/** The box of a county as the outline of its first block; its other blocks have no outline. */
function outlineOf({ fips, box }: WideCounty): Uint8Array {
  const properties = { geoid: `${fips}0000000000` };
  return writeFlatGeobuf(
    'blocks',
    [{ name: 'geoid', type: 'string' }],
    [{ geometry: { polygons: [[boxRing(...box)]] }, properties }],
  );
}

function manifestOf(
  { fips, box, centres }: WideCounty,
  objects: ReadonlyMap<string, Uint8Array>,
): CountyManifest {
  const refs = Object.fromEntries(
    COUNTY_OBJECT_KINDS.filter(
      (one) => !['access', 'weights', 'addresses', 'transit-step-free'].includes(one),
    ).map((kind) => {
      const name = `${kind}/${fips}`;
      const bytes = objects.get(name) ?? UNREAD;
      return [kind, { name, bytes: bytes.length, sha256: hash('sha256', bytes) }];
    }),
  );
  return {
    blocks: centres.length,
    population: centres.length,
    routable_blocks: centres.length,
    block_box: [...box],
    poi_box: [...box],
    reach: { from: [fips], to: [fips] },
    objects: refs as CountyManifest['objects'],
  };
}
