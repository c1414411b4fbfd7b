import type { Tags } from '../osm/tags.ts';
import { type MapKind, MIN_MAP_ZOOM, sortRank } from './map-kind.ts';

/** Tag values that name a land use, by key. The value is the kind. Later keys take precedence. */
const USES: readonly (readonly [key: string, values: ReadonlySet<string>])[] = [
  ['amenity', new Set(['hospital', 'school', 'kindergarten', 'university', 'college'])],
  [
    'landuse',
    new Set([
      'recreation_ground',
      'industrial',
      'railway',
      'cemetery',
      'commercial',
      'grass',
      'farmland',
      'residential',
      'military',
      'village_green',
      'allotments',
      'forest',
      'meadow',
    ]),
  ],
  ['aeroway', new Set(['aerodrome', 'runway'])],
  [
    'leisure',
    new Set([
      'park',
      'garden',
      'golf_course',
      'dog_park',
      'playground',
      'pitch',
      'nature_reserve',
      'marina',
      'stadium',
    ]),
  ],
  [
    'natural',
    new Set(['beach', 'wood', 'glacier', 'grassland', 'scrub', 'sand', 'wetland', 'bare_rock']),
  ],
  ['man_made', new Set(['pier'])],
  ['railway', new Set(['platform'])],
  ['tourism', new Set(['zoo'])],
  ['waterway', new Set(['dam'])],
];

/** Kinds of the tags whose kind differs from their value. */
const RENAMED: Readonly<Record<string, string>> = {
  'landuse=brownfield': 'industrial',
  'landuse=farmyard': 'farmland',
  'landuse=orchard': 'farmland',
  'man_made=bridge': 'pedestrian',
  'boundary=national_park': 'park',
  'boundary=protected_area': 'protected_area',
};
const RENAMED_KEYS = ['landuse', 'man_made', 'boundary'];
const WALKED = new Set(['pedestrian', 'footway']);
const MILITARY = new Set(['airfield', 'naval_base']);

export function landuseKind(tags: Tags): MapKind | null {
  const kind = useOf(tags);
  if (kind === null) return null;
  return {
    layer: 'landuse',
    minZoom: MIN_MAP_ZOOM,
    properties: [['kind', kind, 0], sortRank('landuse')],
  };
}

function useOf(tags: Tags): string | null {
  if (WALKED.has(tags.get('highway') ?? '')) {
    return tags.get('area') === 'yes' ? 'pedestrian' : null;
  }
  let kind: string | null = null;
  for (const key of RENAMED_KEYS) kind = RENAMED[`${key}=${tags.get(key)}`] ?? kind;
  for (const [key, values] of USES) {
    const value = tags.get(key);
    if (value !== undefined && values.has(value)) kind = value;
  }
  const military = tags.get('military') ?? '';
  return kind === 'military' && MILITARY.has(military) ? military : kind;
}
