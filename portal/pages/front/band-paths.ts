import { VectorTile } from '@mapbox/vector-tile';
import { PbfReader } from 'pbf';
import { PMTiles } from 'pmtiles';
import { CLASS_ENDS } from '../../map-classes.ts';
import { ArchiveSource } from '../map/drawing/archive-source.ts';
import type { Drawing } from './outline.ts';

/** A tile is drawn at this size or smaller. */
const TILE_SIZE = 512;
const ZOOMS = { min: 6, max: 14 };

/**
 * Reads the time bands that a picture shows, from the archive of a mode and type. Returns the `d` of
 * an SVG path for each class, empty where there is none, to be filled with the nonzero rule: the
 * polygons of neighbouring tiles overlap in their buffers.
 */
export async function bandPaths(archiveUrl: string, drawing: Drawing): Promise<readonly string[]> {
  const archive = new PMTiles(new ArchiveSource(archiveUrl));
  const zoom = zoomFor(drawing);
  const paths = CLASS_ENDS.map(() => '');
  await Promise.all(
    tilesIn(drawing.bounds, zoom).map(async ({ x, y }) => {
      const tile = await archive.getZxy(zoom, x, y);
      if (tile === undefined) return;
      const layer = new VectorTile(new PbfReader(tile.data)).layers.bands;
      for (let i = 0; i < (layer?.length ?? 0); i++) {
        const feature = layer.feature(i);
        const { minutes } = feature.properties;
        const band = (CLASS_ENDS as readonly number[]).indexOf(Number(minutes));
        if (band === -1) continue;
        const at = (part: { readonly x: number; readonly y: number }) => {
          const lon = lonOf((x + part.x / layer.extent) / 2 ** zoom);
          const [left, top] = drawing.place(lon, latOf((y + part.y / layer.extent) / 2 ** zoom));
          return `${left.toFixed(1)} ${top.toFixed(1)}`;
        };
        for (const ring of feature.loadGeometry()) paths[band] += `M${ring.map(at).join('L')}Z`;
      }
    }),
  );
  return paths;
}

/** The lowest zoom whose tiles are drawn no larger than their size. */
function zoomFor({ perDegreeEast }: Drawing): number {
  const zoom = Math.ceil(Math.log2((360 * perDegreeEast) / TILE_SIZE));
  return Math.min(ZOOMS.max, Math.max(ZOOMS.min, zoom));
}

/** Tiles of the Web Mercator grid that meet some bounds in degrees. */
function tilesIn([west, south, east, north]: Drawing['bounds'], zoom: number) {
  const count = 2 ** zoom;
  const column = (lon: number) => Math.floor(((lon + 180) / 360) * count);
  const row = (lat: number) => {
    const y = 0.5 - Math.asinh(Math.tan((lat * Math.PI) / 180)) / (2 * Math.PI);
    return Math.min(count - 1, Math.max(0, Math.floor(y * count)));
  };
  const tiles: { x: number; y: number }[] = [];
  for (let x = column(west); x <= column(east); x++) {
    for (let y = row(north); y <= row(south); y++) tiles.push({ x: (x + count) % count, y });
  }
  return tiles;
}

/** Degrees of longitude of a fraction of the world's width. */
function lonOf(x: number): number {
  return x * 360 - 180;
}

/** Degrees of latitude of a fraction of the world's height, from the north, in Web Mercator. */
function latOf(y: number): number {
  return (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI;
}
