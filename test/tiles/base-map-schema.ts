/**
 * A layer of the schema of Protomaps' basemap version 4, after its documentation and its tile
 * generator (https://docs.protomaps.com/basemaps/layers, https://github.com/protomaps/basemaps):
 * its geometry types, and the values of each property, or their type.
 */
export interface LayerSchema {
  readonly geometries: readonly string[];
  readonly required: readonly string[];
  readonly properties: Readonly<Record<string, readonly unknown[] | 'string' | 'integer'>>;
}

const TRUE = [true];

export const BASE_MAP_SCHEMA: Readonly<Record<string, LayerSchema>> = {
  earth: { geometries: ['Polygon'], required: ['kind'], properties: { kind: ['earth'] } },
  landuse: {
    geometries: ['Polygon'],
    required: ['kind', 'sort_rank'],
    properties: {
      kind: [
        ...['aerodrome', 'airfield', 'allotments', 'bare_rock', 'beach', 'cemetery', 'college'],
        ...['commercial', 'dam', 'dog_park', 'farmland', 'forest', 'garden', 'glacier'],
        ...['golf_course', 'grass', 'grassland', 'hospital', 'industrial', 'kindergarten'],
        ...['marina', 'meadow', 'military', 'national_park', 'nature_reserve', 'naval_base'],
        ...['park', 'pedestrian', 'pier', 'pitch', 'platform', 'playground', 'protected_area'],
        ...['railway', 'recreation_ground', 'residential', 'runway', 'sand', 'school', 'scrub'],
        ...['stadium', 'university', 'village_green', 'wetland', 'wood', 'zoo'],
      ],
      sort_rank: [189],
    },
  },
  water: {
    geometries: ['Polygon', 'LineString', 'Point'],
    required: ['kind', 'sort_rank'],
    properties: {
      kind: [
        ...['water', 'lake', 'basin', 'riverbank', 'dock', 'swimming_pool', 'fountain'],
        ...['river', 'canal', 'stream', 'drain', 'ditch', 'bay', 'strait', 'fjord'],
      ],
      kind_detail: ['basin', 'canal', 'ditch', 'drain', 'lake', 'river', 'stream'],
      sort_rank: [200],
      min_zoom: 'integer',
      name: 'string',
      reservoir: TRUE,
      alkaline: TRUE,
      intermittent: TRUE,
    },
  },
  roads: {
    geometries: ['LineString'],
    required: ['kind', 'min_zoom', 'sort_rank'],
    properties: {
      kind: [
        'highway',
        'major_road',
        'minor_road',
        'path',
        'aerialway',
        'ferry',
        'rail',
        'aeroway',
      ],
      kind_detail: [
        ...['motorway', 'motorway_link', 'trunk', 'trunk_link', 'primary', 'primary_link'],
        ...['secondary', 'secondary_link', 'tertiary', 'tertiary_link', 'residential', 'service'],
        ...['unclassified', 'road', 'raceway', 'living_street', 'pedestrian', 'track', 'path'],
        ...['footway', 'cycleway', 'bridleway', 'steps', 'corridor', 'sidewalk', 'crossing'],
        ...['cable_car', 'pier', 'runway', 'taxiway', 'rail', 'funicular', 'light_rail'],
        ...['miniature', 'monorail', 'narrow_gauge', 'preserved', 'subway', 'tram'],
      ],
      sort_rank: [400],
      min_zoom: 'integer',
      name: 'string',
      ref: 'string',
      shield_text: 'string',
      network: ['US:I', 'US:US', 'other'],
      oneway: 'string',
      service: 'string',
      route: ['ferry'],
      is_link: TRUE,
      is_bridge: TRUE,
      is_tunnel: TRUE,
    },
  },
  boundaries: {
    geometries: ['LineString'],
    required: ['kind', 'kind_detail', 'sort_rank'],
    properties: { kind: ['county', 'region'], kind_detail: [4, 6], sort_rank: [289] },
  },
  places: {
    geometries: ['Point'],
    required: ['kind', 'name', 'min_zoom', 'sort_key', 'population_rank'],
    properties: {
      kind: ['locality', 'macrohood', 'neighbourhood'],
      kind_detail: ['city', 'town', 'village', 'hamlet', 'suburb', 'quarter', 'neighbourhood'],
      min_zoom: 'integer',
      sort_key: 'integer',
      population: 'integer',
      population_rank: 'integer',
      name: 'string',
    },
  },
};
