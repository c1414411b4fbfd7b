import type { DestinationType } from '../../shards/taxonomy.ts';
import type { DestTypeId } from '../../shards/units.ts';

/** Tags that an OSM element must all have, each with the given value or one of several. */
export type TagRule = Readonly<Record<string, string | readonly string[]>>;

export interface TaxonomyEntry {
  readonly dest_type_id: DestTypeId;
  readonly label: string;
  readonly name: string;
  readonly parent_id: DestTypeId | null;
  /** For leaves: an element that matches any of these rules is a POI of the type. */
  readonly osm?: readonly TagRule[];
  /** For leaves that tags alone do not determine: the origin of their POIs. */
  readonly source?: 'school-level' | 'school-kind' | 'park-size' | 'other-worship' | 'gtfs';
}

/** Change with every change to the entries below. An id, once used, keeps its meaning. */
export const TAXONOMY_VERSION = '2026.3';

const parent = (
  dest_type_id: DestTypeId,
  label: string,
  name: string,
  parent_id: DestTypeId | null = null,
): TaxonomyEntry => ({ dest_type_id, label, name, parent_id });

/** Entries of one parent's leaves: id, label, name, rules. */
const leaves = (
  parent_id: DestTypeId,
  entries: readonly (readonly [DestTypeId, string, string, ...TagRule[]])[],
): TaxonomyEntry[] =>
  entries.map(([dest_type_id, label, name, ...osm]) => ({
    dest_type_id,
    label,
    name,
    parent_id,
    osm,
  }));

/**
 * The destination types, as data. Parents stand for all leaves below them; a POI may have several
 * leaves (a supermarket is also a grocery store).
 */
export const TAXONOMY: readonly TaxonomyEntry[] = [
  parent(100, 'food_shops', 'Food shops'),
  ...leaves(100, [
    [
      101,
      'grocery_stores',
      'Grocery stores',
      { shop: ['supermarket', 'grocery', 'groceries', 'food'] },
    ],
    [102, 'supermarkets', 'Supermarkets', { shop: 'supermarket' }],
    [103, 'convenience_stores', 'Convenience stores', { shop: 'convenience' }],
    [104, 'bakeries', 'Bakeries', { shop: ['bakery', 'pastry'] }],
    [
      105,
      'fresh_food_shops',
      'Butchers, fish and produce markets',
      {
        shop: ['butcher', 'meat', 'seafood', 'fishmonger', 'greengrocer', 'cheese', 'deli', 'farm'],
      },
    ],
    [106, 'marketplaces', 'Markets', { amenity: 'marketplace' }],
    [107, 'wholesale_clubs', 'Wholesale clubs', { shop: 'wholesale' }],
    [108, 'health_food_shops', 'Health food stores', { shop: 'health_food' }],
  ]),

  parent(200, 'eating_and_drinking', 'Eating and drinking'),
  ...leaves(200, [
    [201, 'restaurants', 'Restaurants', { amenity: 'restaurant' }],
    [202, 'cafes', 'Cafés', { amenity: 'cafe' }],
    [203, 'fast_food', 'Fast food', { amenity: ['fast_food', 'food_court'] }],
    [204, 'bars_and_pubs', 'Bars and pubs', { amenity: ['bar', 'pub', 'biergarten', 'nightclub'] }],
    [205, 'ice_cream', 'Ice cream', { amenity: 'ice_cream' }, { shop: 'ice_cream' }],
  ]),

  parent(300, 'education', 'Education'),
  parent(310, 'public_schools', 'Public schools', 300),
  {
    dest_type_id: 311,
    label: 'elementary_schools',
    name: 'Elementary schools',
    parent_id: 310,
    osm: [{ amenity: 'school' }],
    source: 'school-level',
  },
  {
    dest_type_id: 312,
    label: 'middle_schools',
    name: 'Middle schools',
    parent_id: 310,
    osm: [{ amenity: 'school' }],
    source: 'school-level',
  },
  {
    dest_type_id: 313,
    label: 'high_schools',
    name: 'High schools',
    parent_id: 310,
    osm: [{ amenity: 'school' }],
    source: 'school-level',
  },
  {
    dest_type_id: 314,
    label: 'schools_level_unknown',
    name: 'Schools of unknown level',
    parent_id: 310,
    osm: [{ amenity: 'school' }],
    source: 'school-level',
  },
  ...leaves(300, [
    [301, 'kindergartens', 'Preschools and kindergartens', { amenity: 'kindergarten' }],
    [302, 'colleges', 'Colleges', { amenity: 'college' }],
    [303, 'universities', 'Universities', { amenity: 'university' }],
    [304, 'childcare', 'Childcare', { amenity: 'childcare' }],
  ]),
  {
    dest_type_id: 305,
    label: 'private_schools',
    name: 'Private schools',
    parent_id: 300,
    osm: [{ amenity: 'school', 'operator:type': ['private', 'religious', 'private_non_profit'] }],
    // Includes religious schools, which are recognized by name.
    source: 'school-kind',
  },

  parent(400, 'health', 'Health'),
  ...leaves(400, [
    [401, 'hospitals', 'Hospitals', { amenity: 'hospital' }, { healthcare: 'hospital' }],
    [
      402,
      'clinics',
      'Clinics',
      { amenity: ['clinic', 'health_post'] },
      { healthcare: ['clinic', 'centre'] },
    ],
    [403, 'doctors', 'Doctors', { amenity: 'doctors' }, { healthcare: 'doctor' }],
    [404, 'dentists', 'Dentists', { amenity: 'dentist' }, { healthcare: 'dentist' }],
    [
      405,
      'pharmacies',
      'Pharmacies',
      { amenity: 'pharmacy' },
      { healthcare: 'pharmacy' },
      { shop: ['pharmacy', 'drugstore'] },
    ],
    [406, 'veterinarians', 'Veterinarians', { amenity: 'veterinary' }],
    [
      407,
      'optometrists',
      'Optometrists and opticians',
      { shop: 'optician' },
      { healthcare: 'optometrist' },
    ],
  ]),

  parent(500, 'parks_and_nature', 'Parks and nature'),
  parent(510, 'parks', 'Parks', 500),
  {
    dest_type_id: 511,
    label: 'parks_small',
    name: 'Parks under 2.5 acres',
    parent_id: 510,
    osm: [{ leisure: 'park' }],
    source: 'park-size',
  },
  {
    dest_type_id: 512,
    label: 'parks_medium',
    name: 'Parks of 2.5 to 25 acres',
    parent_id: 510,
    osm: [{ leisure: 'park' }],
    source: 'park-size',
  },
  {
    dest_type_id: 513,
    label: 'parks_large',
    name: 'Parks of 25 acres and more',
    parent_id: 510,
    osm: [{ leisure: 'park' }],
    source: 'park-size',
  },
  ...leaves(500, [
    [
      501,
      'gardens',
      'Public gardens',
      { leisure: 'garden', access: ['yes', 'permissive'] },
      { leisure: 'garden', 'garden:type': ['botanical', 'community'] },
    ],
    [502, 'nature_reserves', 'Nature reserves', { leisure: 'nature_reserve' }],
    [503, 'dog_parks', 'Dog parks', { leisure: 'dog_park' }],
    [
      504,
      'recreation_grounds',
      'Recreation grounds',
      { leisure: ['recreation_ground', 'common'] },
      { landuse: 'recreation_ground' },
    ],
    [
      505,
      'protected_areas',
      'Protected areas and national parks',
      { boundary: ['protected_area', 'national_park'] },
    ],
    [506, 'beaches', 'Beaches', { natural: 'beach' }, { leisure: 'beach_resort' }],
  ]),

  parent(600, 'culture', 'Culture'),
  ...leaves(600, [
    [601, 'libraries', 'Libraries', { amenity: 'library' }],
    [602, 'museums', 'Museums and galleries', { tourism: ['museum', 'gallery'] }],
    [603, 'theatres', 'Theaters', { amenity: 'theatre' }],
    [604, 'cinemas', 'Movie theaters', { amenity: 'cinema' }],
    [605, 'arts_centres', 'Arts centers', { amenity: 'arts_centre' }],
    [
      606,
      'community_centres',
      'Community centers',
      { amenity: ['community_centre', 'social_centre'] },
    ],
    [607, 'zoos', 'Zoos and aquariums', { tourism: ['zoo', 'aquarium'] }],
  ]),

  parent(700, 'everyday_services', 'Everyday services'),
  ...leaves(700, [
    [701, 'post_offices', 'Post offices', { amenity: 'post_office' }],
    [702, 'banks', 'Banks', { amenity: 'bank' }],
    [703, 'hairdressers', 'Hair and beauty salons', { shop: ['hairdresser', 'barber', 'beauty'] }],
    [704, 'laundries', 'Laundromats and dry cleaners', { shop: ['laundry', 'dry_cleaning'] }],
    [705, 'hardware_stores', 'Hardware stores', { shop: ['hardware', 'doityourself'] }],
    [706, 'clothes_shops', 'Clothing and shoe stores', { shop: ['clothes', 'shoes'] }],
    [707, 'bookshops', 'Bookstores', { shop: 'books' }],
    [708, 'bike_shops', 'Bike shops', { shop: 'bicycle' }],
    [709, 'town_halls', 'City and town halls', { amenity: 'townhall' }],
    [710, 'police_and_fire', 'Police and fire stations', { amenity: ['police', 'fire_station'] }],
    [
      711,
      'department_stores',
      'Department stores and malls',
      { shop: ['department_store', 'mall', 'variety_store', 'general'] },
    ],
    [
      712,
      'food_banks',
      'Food banks and soup kitchens',
      { social_facility: ['food_bank', 'soup_kitchen'] },
      { amenity: 'food_bank' },
    ],
    [713, 'courthouses', 'Courthouses', { amenity: 'courthouse' }],
    [714, 'cash_machines', 'ATMs', { amenity: 'atm' }, { amenity: 'bank', atm: 'yes' }],
  ]),

  parent(800, 'play_and_sport', 'Play and sports'),
  ...leaves(800, [
    [801, 'playgrounds', 'Playgrounds', { leisure: 'playground' }],
    [
      802,
      'gyms',
      'Gyms',
      { leisure: 'fitness_centre' },
      { leisure: 'sports_centre' },
      { amenity: 'gym' },
    ],
    [
      803,
      'swimming_pools',
      'Swimming pools',
      {
        leisure: ['swimming_pool', 'water_park'],
        access: ['yes', 'public', 'permissive', 'customers'],
      },
      { leisure: 'sports_centre', sport: 'swimming' },
    ],
    [804, 'sports_pitches', 'Sports fields and courts', { leisure: 'pitch' }],
    [805, 'running_tracks', 'Running tracks', { leisure: 'track' }],
    [806, 'stadiums', 'Stadiums', { leisure: 'stadium' }],
    [807, 'golf_courses', 'Golf courses', { leisure: 'golf_course' }],
  ]),

  parent(900, 'worship', 'Worship'),
  ...leaves(900, [
    [901, 'churches', 'Churches', { amenity: 'place_of_worship', religion: 'christian' }],
    [902, 'synagogues', 'Synagogues', { amenity: 'place_of_worship', religion: 'jewish' }],
    [903, 'mosques', 'Mosques', { amenity: 'place_of_worship', religion: 'muslim' }],
    [
      904,
      'temples',
      'Temples',
      {
        amenity: 'place_of_worship',
        religion: ['hindu', 'buddhist', 'sikh', 'jain', 'taoist', 'shinto'],
      },
    ],
  ]),
  {
    dest_type_id: 905,
    label: 'other_worship',
    name: 'Other places of worship',
    parent_id: 900,
    osm: [{ amenity: 'place_of_worship' }],
    // Places of worship of religions without a leaf.
    source: 'other-worship',
  },

  parent(1000, 'transit', 'Transit'),
  ...leaves(1000, [
    [
      1001,
      'bus_stops',
      'Bus stops and stations',
      { highway: 'bus_stop' },
      { amenity: 'bus_station' },
    ],
    [
      1002,
      'rail_stations',
      'Rail, light rail and subway stations',
      { railway: ['station', 'halt', 'tram_stop'] },
    ],
    [1003, 'bike_rental', 'Bike rental', { amenity: 'bicycle_rental' }],
    [1004, 'ferry_terminals', 'Ferry terminals', { amenity: 'ferry_terminal' }],
  ]),
  {
    dest_type_id: 1005,
    label: 'frequent_transit',
    name: 'Frequent transit stops',
    parent_id: 1000,
    osm: [],
    source: 'gtfs',
  },
];

export const PARK_LEAVES: readonly DestTypeId[] = TAXONOMY.filter(
  ({ source }) => source === 'park-size',
).map(({ dest_type_id }) => dest_type_id);

export const UNKNOWN_LEVEL: DestTypeId = TAXONOMY.find(
  ({ label }) => label === 'schools_level_unknown',
)!.dest_type_id;

/** The leaves of POIs where vehicles call. Such POIs may lie between tracks or off the quay. */
export const STOP_LEAVES: readonly DestTypeId[] = TAXONOMY.filter(
  ({ label, source }) => source === 'gtfs' || ['rail_stations', 'ferry_terminals'].includes(label),
).map(({ dest_type_id }) => dest_type_id);

/**
 * Minimum size of each park leaf in hectares, of 2.47 acres: a park belongs to the last leaf whose
 * bound it reaches.
 */
export const PARK_SIZES: readonly { readonly label: string; readonly fromHectares: number }[] = [
  { label: 'parks_small', fromHectares: 0 },
  { label: 'parks_medium', fromHectares: 1 },
  { label: 'parks_large', fromHectares: 10 },
];

/**
 * The types of a release as published. `has` returns whether the release has a type that only feeds
 * provide, either because it has feeds, or because a user's own list has such POIs.
 */
export function publicTaxonomy(has: (feedType: DestTypeId) => boolean): DestinationType[] {
  return TAXONOMY.filter(({ source, dest_type_id }) => source !== 'gtfs' || has(dest_type_id)).map(
    ({ dest_type_id, label, name, parent_id }) => ({ dest_type_id, label, name, parent_id }),
  );
}
