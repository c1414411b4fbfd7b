import type { BaseMap, PoiArchive } from '../catalogue/catalogue.ts';
import { streetsOf } from '../drawing/block-fills.ts';
import type { Shown } from '../drawing/paint.ts';
import { UNROUTED_CLASS } from '../measures/block-classes.ts';
import type { Frame } from '../tiles/frame.ts';
import {
  bandPaths,
  heldZoom,
  isArea,
  pathOf,
  placed,
  readTiles,
  TILE_ZOOMS,
  type TileFeature,
  tilesIn,
} from '../tiles/vector-tiles.ts';

/**
 * The layers of a still picture, each the `d` of an SVG path, empty if there is nothing to draw.
 */
export interface StillLayers {
  readonly earth: string;
  readonly water: string;
  readonly blocks: string;
  /** One path per class, nearest first. */
  readonly classes: readonly string[];
  /** Blocks without a street near. */
  readonly unlinked: string;
  readonly selected: string;
  readonly roads: readonly { readonly width: number; readonly d: string }[];
  readonly places: readonly Place[];
  /** Lines of transit by colour, null for the colour of the page. */
  readonly lines: readonly { readonly colour: string | null; readonly d: string }[];
  /** Positions of the POIs over the blocks. */
  readonly pois: readonly {
    readonly x: number;
    readonly y: number;
    readonly isStop: boolean;
  }[];
}

interface Place {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly size: number;
}

/** The archives of a release, and the classes of its blocks. */
export interface StillSources {
  readonly blocksUrl: string;
  readonly baseMap: BaseMap | null;
  readonly shown: Shown;
  /** Opacity of the blocks, from 0 to 1. */
  readonly opacity: number;
  readonly selected: string | null;
}

/** Kinds of roads, widest first: their width, and the zoom from which they are drawn. */
const ROADS = [
  { kind: 'highway', width: 3, from: 6 },
  { kind: 'major_road', width: 2, from: 10 },
  { kind: 'minor_road', width: 1, from: 13 },
] as const;
/** Sizes of names by the kind of their place, and the zoom from which they are shown. */
const PLACES: Readonly<Record<string, { readonly size: number; readonly from: number }>> = {
  locality: { size: 16, from: 6 },
  neighbourhood: { size: 11, from: 12 },
};

/** Reads the layers of a picture from the tiles of the map, so that no WebGL is needed. */
export async function stillLayers(frame: Frame, sources: StillSources): Promise<StillLayers> {
  const { baseMap, shown } = sources;
  const zoom = heldZoom(frame.position.zoom);
  const tiles = tilesIn(frame.box, zoom);
  const isOf = (part: string) => (archive: string) => readTiles(archive, tiles, [part]);
  const hasBlocks = zoom >= TILE_ZOOMS.blocks;
  const overlay = async ({ url, of }: PoiArchive) => {
    const features = await isOf(of === 'lines' ? 'lines' : 'pois')(url);
    return features.map((at) => ({ at, of }));
  };
  const [blocks, bands, ground, over] = await Promise.all([
    hasBlocks ? isOf('blocks')(sources.blocksUrl) : [],
    shown.of === 'bands' ? bandPaths(shown.bandsUrl, frame.box, zoom, frame.place) : [],
    baseMap && 'archive' in baseMap
      ? readTiles(baseMap.archive, tiles, ['earth', 'water', 'roads', 'places'])
      : [],
    hasBlocks ? Promise.all(shown.pois.map(overlay)) : [],
  ]);
  const classes = [...bands];
  const classOf = classesOf(shown);
  for (const block of blocks) {
    const one = classOf(block);
    if (one === 0 || one === UNROUTED_CLASS) continue;
    classes[one - 1] = (classes[one - 1] ?? '') + pathOf(block, frame.place);
  }
  const inLayer = (layer: string) => ground.filter((feature) => feature.layer === layer);
  const lines = over.flat().flatMap(({ at, of }) => (of === 'lines' ? [at] : []));
  const drawn = (features: readonly TileFeature[]) =>
    features.map((feature) => pathOf(feature, frame.place)).join('');
  return {
    earth: drawn(inLayer('earth').filter(isArea)),
    water: drawn(inLayer('water').filter(isArea)),
    blocks: drawn(blocks),
    classes,
    unlinked: drawn(
      blocks.filter((block) =>
        shown.modes.length > 0 ? isUnlinked(block, shown.modes) : classOf(block) === UNROUTED_CLASS,
      ),
    ),
    selected: drawn(
      blocks.filter(({ feature }) => String(feature.properties.geoid) === sources.selected),
    ),
    roads: ROADS.filter(({ from }) => frame.position.zoom >= from).map(({ kind, width }) => ({
      width,
      d: drawn(inLayer('roads').filter(({ feature }) => feature.properties.kind === kind)),
    })),
    places: placesOf(inLayer('places'), frame),
    lines: [...new Set(lines.map(colourOf))].map((colour) => ({
      colour,
      d: drawn(lines.filter((line) => colourOf(line) === colour)),
    })),
    pois: over.flat().flatMap(({ at, of }) => {
      if (of === 'lines') return [];
      const [x, y] = placed(at, at.feature.loadGeometry()[0][0], frame.place);
      return [{ x, y, isStop: of === 'stops' }];
    }),
  };
}

/** The colour of a line of transit; null if its feed gives none. */
function colourOf({ feature }: TileFeature): string | null {
  const { color } = feature.properties;
  return color === undefined ? null : String(color);
}

/** Geometry type of a point in a vector tile. */
const POINT = 1;

/** Returns a function for the class of a block; 0 if it has none. */
function classesOf(shown: Shown): (block: TileFeature) => number {
  if (shown.of === 'bands' || shown.blocks === null) return () => 0;
  const { geoids, classes } = shown.blocks;
  const byGeoid = new Map(Array.from(geoids, (geoid, i) => [geoid, classes[i]]));
  return ({ feature }) => byGeoid.get(Number(feature.properties.geoid)) ?? 0;
}

function isUnlinked({ feature }: TileFeature, modes: readonly string[]): boolean {
  const unlinked = String(feature.properties.unlinked ?? '').split(',');
  return streetsOf(modes).every((street) => unlinked.includes(street));
}

/** Names of places, larger ones first, without overlaps. */
function placesOf(features: readonly TileFeature[], frame: Frame): readonly Place[] {
  const found = features.flatMap((at): Place[] => {
    const { name, kind } = at.feature.properties;
    const style = PLACES[String(kind)];
    if (style === undefined || frame.position.zoom < style.from || at.feature.type !== POINT)
      return [];
    const [[point]] = at.feature.loadGeometry();
    const [x, y] = placed(at, point, frame.place);
    const isIn = x > 0 && y > 0 && x < frame.width && y < frame.height;
    return isIn ? [{ name: String(name), x, y, size: style.size }] : [];
  });
  const shown: Place[] = [];
  for (const place of found.toSorted((a, b) => b.size - a.size || a.x - b.x)) {
    if (!shown.some((other) => overlaps(place, other))) shown.push(place);
  }
  return shown;
}

function overlaps(one: Place, other: Place): boolean {
  const halves = [one, other].map(({ name, size }) => name.length * size * 0.3);
  return (
    Math.abs(one.x - other.x) < halves[0] + halves[1] + 4 &&
    Math.abs(one.y - other.y) < (one.size + other.size) * 0.7
  );
}
