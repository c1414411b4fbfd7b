import { type Tags, valuesOf } from '../osm/tags.ts';

/** Labels of leaf types whose POIs only some people may enter if `access` says so. */
const ENTERED = new Set([
  'cash_machines',
  'libraries',
  'community_centres',
  'arts_centres',
  'clinics',
  'doctors',
  'dentists',
  'gyms',
  'bike_rental',
]);
/** Values of `sport` for a sports centre that has a gym. */
const GYM_SPORTS = new Set([
  'multi',
  'fitness',
  'exercise',
  'aerobics',
  'weightlifting',
  'bodybuilding',
  'crossfit',
  'climbing',
  'yoga',
  'pilates',
]);
/** Classes of areas that protect drinking water, a culture, or a people's land. */
const NOT_NATURE = new Set(['12', '22', '24']);
/** Vehicles other than trains that may call at a station, as keys and as values of `station`. */
const OTHER_THAN_TRAINS = ['subway', 'light_rail', 'tram', 'monorail', 'funicular'];

/**
 * Whether an element is not a POI of the leaf type with this label, although its tags meet a rule
 * of the taxonomy.
 */
export function isException(label: string, tags: Tags): boolean {
  if (ENTERED.has(label) && isRestricted(tags)) return true;
  switch (label) {
    case 'gyms':
      return isForOtherSports(tags);
    case 'rail_stations':
      return isOfNoNetwork(tags);
    case 'bus_stops':
      return tags.get('highway') === 'bus_stop' && tags.get('bus') === 'no';
    case 'protected_areas':
      return NOT_NATURE.has(tags.get('protect_class') ?? '');
    default:
      return false;
  }
}

/** Whether an element's `access` keeps the public out. */
export function isRestricted(tags: Tags): boolean {
  const access = tags.get('access');
  return access === 'private' || access === 'no';
}

/** Whether a sports centre is for sports that use no gym, such as a rink or a bowling centre. */
function isForOtherSports(tags: Tags): boolean {
  const has = (key: string, value: string) => valuesOf(tags.get(key) ?? '').includes(value);
  if (has('leisure', 'fitness_centre') || has('amenity', 'gym')) return false;
  const sports = tags.get('sport');
  return sports !== undefined && !valuesOf(sports).some((sport) => GYM_SPORTS.has(sport));
}

/** Whether a station belongs to a park railway or a heritage line, or has no service. */
function isOfNoNetwork(tags: Tags): boolean {
  if (tags.get('station') === 'miniature' || tags.get('usage') === 'tourism') return true;
  if (tags.get('train') !== 'no' || tags.get('railway') === 'tram_stop') return false;
  const isOther = OTHER_THAN_TRAINS.some((kind) => tags.get(kind) === 'yes');
  return !isOther && !OTHER_THAN_TRAINS.includes(tags.get('station') ?? '');
}
