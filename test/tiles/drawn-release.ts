import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { VectorTileFeature } from '@mapbox/vector-tile';
import type { PMTiles } from 'pmtiles';
import type { Release } from '../../shards/release/release.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { isInside } from '../conformance/plain-geometry.ts';
import { releaseIn } from '../support/release-in.ts';
import { decodeTile, libraryArchive } from './archive-source.ts';

/** A release and its archives, read by the PMTiles and vector tile libraries. */
export interface DrawnRelease {
  readonly release: Release;
  readonly archive: (key: string) => Promise<PMTiles>;
  /** The features of a tile's only layer; empty where there is no tile. */
  readonly features: (key: string, z: number, x: number, y: number) => Promise<VectorTileFeature[]>;
  /** The tiles of a zoom that the release's bounds touch. */
  readonly addresses: (z: number) => { x: number; y: number }[];
  readonly close: () => Promise<void>;
}

export async function openDrawnRelease(folder: string): Promise<DrawnRelease> {
  const store = new FolderStore(folder);
  const release = await releaseIn(store);
  const opened = new Map<string, Promise<PMTiles>>();
  const archive = (key: string): Promise<PMTiles> => {
    const found =
      opened.get(key) ??
      readFile(path.join(folder, release.manifest.tiles[key].archive.name)).then(libraryArchive);
    opened.set(key, found);
    return found;
  };
  const decoded = new Map<string, Promise<VectorTileFeature[]>>();
  const boxes = Object.values(release.manifest.counties).map((county) => county.block_box);
  return {
    release,
    archive,
    features: (key, z, x, y) => {
      const name = `${key}/${z}/${x}/${y}`;
      const found =
        decoded.get(name) ??
        archive(key)
          .then((one) => one.getZxy(z, x, y))
          .then((tile) => (tile ? decodeTile(tile.data) : []));
      decoded.set(name, found);
      return found;
    },
    addresses: (z) => {
      const [west, north] = tilePosition(
        Math.min(...boxes.map((box) => box[0])),
        Math.max(...boxes.map((box) => box[3])),
        z,
      ).map(Math.floor);
      const [east, south] = tilePosition(
        Math.max(...boxes.map((box) => box[2])),
        Math.min(...boxes.map((box) => box[1])),
        z,
      ).map(Math.floor);
      const found: { x: number; y: number }[] = [];
      for (let x = west; x <= east; x++) for (let y = north; y <= south; y++) found.push({ x, y });
      return found;
    },
    close: () => store.close(),
  };
}

/** A position at a zoom, in tiles from the north-west corner of the world. */
export function tilePosition(lon: number, lat: number, z: number): [x: number, y: number] {
  const y = Math.asinh(Math.tan((lat * Math.PI) / 180)) / Math.PI;
  return [((lon + 180) / 360) * 2 ** z, ((1 - y) / 2) * 2 ** z];
}

/** Whether a feature covers a point of its tile, in tile units. */
export function covers(feature: VectorTileFeature, x: number, y: number): boolean {
  const rings = feature.loadGeometry().map((ring) => ring.map(({ x, y }) => [x, y]));
  return isInside([rings], x, y);
}

/** Signed area of a feature's rings, outer ones positive and holes negative, in tile units. */
export function areaOf(feature: VectorTileFeature): number {
  let twice = 0;
  for (const ring of feature.loadGeometry()) {
    for (let i = 1; i < ring.length; i++) {
      twice += ring[i - 1].x * ring[i].y - ring[i].x * ring[i - 1].y;
    }
  }
  return twice / 2;
}
