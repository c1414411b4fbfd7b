import type { Tags } from '../osm/tags.ts';
import {
  flag,
  isYes,
  type MapKind,
  type MapProperty,
  sortRank,
  suggestedZoom,
  text,
} from './map-kind.ts';

/** A class of roads: its kind, and the first zooms of its lines, shields and names. */
type RoadClass = readonly [kind: string, roads: number, shields: number, names: number];

const HIGHWAYS: Readonly<Record<string, RoadClass>> = {
  motorway: ['highway', 6, 7, 11],
  motorway_link: ['highway', 7, 12, 11],
  trunk: ['major_road', 7, 8, 12],
  trunk_link: ['major_road', 7, 12, 12],
  primary: ['major_road', 7, 10, 12],
  primary_link: ['major_road', 7, 14, 13],
  secondary: ['major_road', 9, 11, 12],
  secondary_link: ['major_road', 9, 13, 14],
  tertiary: ['major_road', 9, 12, 13],
  tertiary_link: ['major_road', 9, 13, 14],
  residential: ['minor_road', 12, 12, 14],
  living_street: ['minor_road', 12, 12, 14],
  unclassified: ['minor_road', 12, 12, 14],
  road: ['minor_road', 12, 12, 14],
  raceway: ['minor_road', 12, 12, 14],
  service: ['minor_road', 13, 12, 14],
  pedestrian: ['path', 12, 12, 14],
  track: ['path', 12, 12, 14],
  corridor: ['path', 14, 12, 14],
  path: ['path', 13, 12, 14],
  cycleway: ['path', 13, 12, 14],
  bridleway: ['path', 13, 12, 14],
  footway: ['path', 13, 12, 14],
  steps: ['path', 13, 12, 14],
};

const RAILWAYS: Readonly<Record<string, number>> = {
  rail: 11,
  funicular: 14,
  light_rail: 14,
  miniature: 14,
  monorail: 14,
  narrow_gauge: 14,
  preserved: 14,
  subway: 14,
  tram: 14,
};
const YARDS = new Set(['yard', 'siding', 'crossover', 'spur']);
const YARD_ZOOM = 13;

const BRIDGE_ZOOM = 12;
const ONEWAY_ZOOM = 14;
const NAME_ZOOM = 12;

/** Returns the kind of a way that is a road, railway, runway, pier or ferry; otherwise null. */
export function roadKind(tags: Tags): MapKind | null {
  const highway = tags.get('highway');
  return highway === undefined ? wayWithoutCars(tags) : highwayKind(highway, tags);
}

function highwayKind(highway: string, tags: Tags): MapKind | null {
  if (!Object.hasOwn(HIGHWAYS, highway) || tags.get('area') === 'yes') return null;
  const [kind, roadZoom, shieldZoom, nameZoom] = HIGHWAYS[highway];
  const service = highway === 'service' ? tags.get('service') : undefined;
  const footway = highway === 'footway' ? tags.get('footway') : undefined;
  const isSidewalk = footway === 'sidewalk' || footway === 'crossing';
  const minZoom = service !== undefined || isSidewalk ? 14 : roadZoom;
  return {
    layer: 'roads',
    minZoom,
    properties: [
      ['kind', kind, 0],
      ['kind_detail', isSidewalk ? footway : highway, 0],
      suggestedZoom(minZoom),
      sortRank('roads'),
      ...text('service', service),
      ...flag('is_link', highway.endsWith('_link')),
      ...crossings(tags),
      ...text('oneway', onewayOf(tags), ONEWAY_ZOOM),
      ...shield(tags.get('ref'), shieldZoom),
      ...text('name', tags.get('name'), nameZoom),
    ],
  };
}

function wayWithoutCars(tags: Tags): MapKind | null {
  if (tags.has('building')) return null;
  const railway = tags.get('railway') ?? '';
  if (Object.hasOwn(RAILWAYS, railway)) {
    const service = tags.get('service');
    const zoom = RAILWAYS[railway];
    const minZoom = YARDS.has(service ?? '') ? Math.max(zoom, YARD_ZOOM) : zoom;
    return other('rail', railway, minZoom, tags, text('service', service));
  }
  if (tags.get('aerialway') === 'cable_car') return other('aerialway', 'cable_car', 11, tags);
  if (tags.get('route') === 'ferry') {
    return other('ferry', undefined, 11, tags, text('route', 'ferry'));
  }
  const aeroway = tags.get('aeroway');
  if (aeroway === 'runway') return other('aeroway', aeroway, 9, tags);
  if (aeroway === 'taxiway') return other('aeroway', aeroway, 10, tags);
  return tags.get('man_made') === 'pier' ? other('path', 'pier', 13, tags) : null;
}

function other(
  kind: string,
  detail: string | undefined,
  minZoom: number,
  tags: Tags,
  more: readonly MapProperty[] = [],
): MapKind {
  return {
    layer: 'roads',
    minZoom,
    properties: [
      ['kind', kind, 0],
      ...text('kind_detail', detail),
      suggestedZoom(minZoom),
      sortRank('roads'),
      ...more,
      ...crossings(tags),
      ...text('name', tags.get('name'), NAME_ZOOM),
    ],
  };
}

function onewayOf(tags: Tags): string | undefined {
  const oneway = tags.get('oneway');
  return isYes(oneway) ? oneway : undefined;
}

function crossings(tags: Tags): MapProperty[] {
  const isBridge = isYes(tags.get('bridge'));
  return [
    ...flag('is_bridge', isBridge, BRIDGE_ZOOM),
    ...flag('is_tunnel', !isBridge && isYes(tags.get('tunnel')), BRIDGE_ZOOM),
  ];
}

/**
 * Returns the properties of the first of a road's numbers (`I 95` in `I 95;US 40`): the number,
 * its text on a shield, and its network. Empty if the road has no number.
 */
function shield(ref: string | undefined, fromZoom: number): MapProperty[] {
  const first = ref?.split(';')[0].trim() ?? '';
  const numbered = /^(I|US)[ -]?(\d.*)$/.exec(first);
  const shieldText = (numbered?.[2] ?? first).replaceAll(/\s/g, '');
  if (shieldText === '') return [];
  return [
    ['ref', first, fromZoom],
    ['shield_text', shieldText, fromZoom],
    ['network', numbered === null ? 'other' : `US:${numbered[1]}`, fromZoom],
  ];
}
