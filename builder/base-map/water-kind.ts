import type { SquareMetres } from '../../shards/units.ts';
import type { Tags } from '../osm/tags.ts';
import {
  flag,
  MAX_MAP_ZOOM,
  type MapKind,
  type MapProperty,
  MIN_MAP_ZOOM,
  sortRank,
  suggestedZoom,
  text,
} from './map-kind.ts';

/** First zooms of waterways that are drawn as lines. */
const WATERWAYS: Readonly<Record<string, number>> = {
  river: 9,
  canal: 10,
  stream: 13,
  drain: 14,
  ditch: 14,
};

const DETAILS = new Set(['basin', 'canal', 'ditch', 'drain', 'lake', 'river', 'stream']);
const LAKES = new Set(['lagoon', 'oxbow', 'pond', 'reservoir', 'wastewater']);
const SALT = new Set(['lagoon', 'salt', 'salt_pool']);
/** Named parts of a sea, which have only a label; the sea itself is drawn from other features. */
const NAMED_WATERS = new Set(['bay', 'strait', 'fjord']);

/** The kind of a waterway drawn as a line; null for anything else and for one underground. */
export function waterwayKind(tags: Tags): MapKind | null {
  const waterway = tags.get('waterway') ?? '';
  if (!Object.hasOwn(WATERWAYS, waterway) || isCovered(tags)) return null;
  const minZoom = WATERWAYS[waterway];
  return {
    layer: 'water',
    minZoom,
    properties: [
      ['kind', waterway, 0],
      suggestedZoom(minZoom),
      sortRank('water'),
      ...flag('intermittent', tags.get('intermittent') === 'yes'),
      ...text('name', tags.get('name')),
    ],
  };
}

export function waterAreaKind(tags: Tags): MapKind | null {
  const properties = waterProperties(tags);
  if (properties === null || isCovered(tags) || NAMED_WATERS.has(String(properties[0][1]))) {
    return null;
  }
  return { layer: 'water', minZoom: MIN_MAP_ZOOM, properties };
}

/**
 * Returns a function from area to the kind of a named water's label; null for anything else. The
 * larger the water, the lower the zoom at which its label appears.
 */
export function waterLabelKind(tags: Tags): ((area: SquareMetres) => MapKind) | null {
  const properties = waterProperties(tags);
  const name = tags.get('name');
  if (properties === null || name === undefined) return null;
  return (area) => {
    const labelZoom = zoomOfLabel(area);
    return {
      layer: 'water',
      minZoom: Math.min(labelZoom, MAX_MAP_ZOOM),
      properties: [...properties, suggestedZoom(labelZoom), ['name', name, 0]],
    };
  };
}

/**
 * A quarter of the area above which a label appears at zoom 14. Each zoom below requires four times
 * as much; labels of smaller waters appear at zoom 15.
 */
const LABELLED_AREA: SquareMetres = 70_000;

function zoomOfLabel(area: SquareMetres): number {
  for (let zoom = MIN_MAP_ZOOM; zoom <= MAX_MAP_ZOOM; zoom++) {
    if (area > LABELLED_AREA * 4 ** (MAX_MAP_ZOOM + 1 - zoom)) return zoom;
  }
  return MAX_MAP_ZOOM + 1;
}

function waterProperties(tags: Tags): [MapProperty, ...MapProperty[]] | null {
  const natural = tags.get('natural');
  if (natural === 'water') return properties('water', tags);
  if (natural !== undefined && NAMED_WATERS.has(natural)) return properties(natural, tags);
  const waterway = tags.get('waterway');
  if (waterway === 'riverbank' || waterway === 'dock') return properties(waterway, tags);
  const landuse = tags.get('landuse');
  if (landuse === 'reservoir') return properties('lake', tags);
  if (landuse === 'basin') return properties('basin', tags);
  if (tags.get('leisure') === 'swimming_pool' || tags.get('amenity') === 'swimming_pool') {
    return properties('swimming_pool', tags);
  }
  return tags.get('amenity') === 'fountain' ? properties('fountain', tags) : null;
}

function properties(kind: string, tags: Tags): [MapProperty, ...MapProperty[]] {
  const water = tags.get('water') ?? '';
  const detail = LAKES.has(water) ? 'lake' : DETAILS.has(water) ? water : undefined;
  return [
    ['kind', kind, 0],
    ...text('kind_detail', detail),
    sortRank('water'),
    ...flag('reservoir', water === 'reservoir' || tags.get('landuse') === 'reservoir'),
    ...flag('alkaline', SALT.has(water)),
    ...flag('intermittent', tags.get('intermittent') === 'yes'),
  ];
}

function isCovered(tags: Tags): boolean {
  const tunnel = tags.get('tunnel');
  return tags.get('covered') === 'yes' || (tunnel !== undefined && tunnel !== 'no');
}
