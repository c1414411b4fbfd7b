import type { Point } from 'geojson';
import { describe, expect, test } from 'vitest';
import {
  EXPECTED_AMONG,
  OVERTURE_CATEGORIES,
  WITHOUT_LEAF,
} from '../../builder/destinations/overture-categories.ts';
import { overturePoi } from '../../builder/destinations/overture-poi.ts';
import { TAXONOMY } from '../../builder/destinations/taxonomy.ts';
import { EVERYWHERE } from '../../shards/geometry/wgs84.ts';

const LABELS = new Map(TAXONOMY.map((entry) => [entry.dest_type_id, entry.label]));
const LEAVES = TAXONOMY.filter(
  ({ dest_type_id }) => !TAXONOMY.some(({ parent_id }) => parent_id === dest_type_id),
).map(({ label }) => label);

/**
 * A category that is frequent in Overture for each leaf: one name, or those of the lists of April
 * 2025 (in `categories`), December 2025 and March 2026 (in `taxonomy`) at
 * docs.overturemaps.org/guides/places; `-` where a list has none.
 */
const FREQUENT: Readonly<Record<string, string>> = {
  grocery_stores: 'grocery_store',
  supermarkets: 'supermarket - -',
  convenience_stores: 'convenience_store',
  bakeries: 'bakery',
  fresh_food_shops: 'fruits_and_vegetables produce_store produce_store',
  marketplaces: 'farmers_market',
  wholesale_clubs: 'wholesale_store wholesale_store warehouse_club_store',
  health_food_shops: 'health_food_store',
  restaurants: 'restaurant',
  cafes: 'cafe',
  fast_food: 'fast_food_restaurant',
  bars_and_pubs: 'bar',
  ice_cream: 'ice_cream_shop',
  elementary_schools: 'elementary_school',
  middle_schools: 'middle_school',
  high_schools: 'high_school',
  schools_level_unknown: 'school',
  kindergartens: 'preschool',
  colleges: 'college_university',
  universities: 'college_university',
  childcare: 'day_care_preschool',
  private_schools: 'private_school',
  hospitals: 'hospital',
  clinics: 'womens_health_clinic womens_health_clinic reproductive_perinatal_and_womens_care',
  doctors: 'doctor doctor doctors_office',
  dentists: 'dentist dentist dental_clinic',
  pharmacies: 'pharmacy',
  veterinarians: 'veterinarian',
  optometrists: 'optometrist optometrist optometry',
  gardens: 'botanical_garden',
  nature_reserves: 'nature_reserve',
  dog_parks: 'dog_park',
  beaches: 'beach',
  libraries: 'library',
  museums: 'museum',
  theatres: 'theatre theatre_venue theatre_venue',
  cinemas: 'cinema movie_theater movie_theater',
  arts_centres: 'cultural_center',
  community_centres: 'community_center',
  zoos: 'zoo',
  post_offices: 'post_office',
  banks: 'banks bank bank',
  hairdressers: 'beauty_salon',
  laundries: 'laundry_services laundry_service laundry_service',
  hardware_stores: 'hardware_store',
  clothes_shops: 'clothing_store',
  bookshops: 'bookstore',
  bike_shops: 'bicycle_shop bike_store bike_store',
  town_halls: 'town_hall',
  police_and_fire: 'fire_department fire_department fire_station',
  department_stores: 'shopping_center shopping_center shopping_mall',
  food_banks: 'food_banks food_bank food_bank',
  courthouses: 'courthouse',
  cash_machines: 'atms atm atm',
  playgrounds: 'playground',
  gyms: 'gym',
  swimming_pools: 'swimming_pool',
  sports_pitches: 'soccer_field',
  stadiums: 'stadium_arena',
  golf_courses: 'golf_course',
  churches: 'church_cathedral christian_place_of_worshop christian_place_of_worship',
  synagogues: 'synagogue jewish_place_of_worship jewish_place_of_worship',
  mosques: 'mosque muslim_place_of_worship muslim_place_of_worship',
  temples: 'hindu_temple hindu_place_of_worship hindu_place_of_worship',
  other_worship: '- place_of_worship place_of_worship',
  bus_stops: 'bus_station',
  rail_stations: 'train_station',
  bike_rental: 'bike_rentals bike_rental bike_rental',
  ferry_terminals: 'ferry_service',
};

/** Leaves that Overture's points do not fill. */
const NEVER = [
  'parks_small',
  'parks_medium',
  'parks_large',
  'recreation_grounds',
  'protected_areas',
  'running_tracks',
  'frequent_transit',
];

/** The leaves of a place with these members. */
function leavesOf(members: object): string[] {
  const properties = { id: '1', names: { primary: 'Elm' }, ...members };
  const geometry: Point = { type: 'Point', coordinates: [-76.6, 39.3] };
  const read = overturePoi({ where: 'feature 1', id: null, properties, geometry }, EVERYWHERE);
  return 'dropped' in read ? [] : read.destination.types.map((type) => LABELS.get(type)!);
}

const oldName = (primary: string) => ({ categories: { primary, alternate: null } });

/** The members of a place with a category of `taxonomy` and those above it, as `zoo > aviary`. */
function taxonomy(names: string) {
  const hierarchy = names.split(' > ');
  return { taxonomy: { primary: hierarchy.at(-1), hierarchy, alternates: null } };
}

describe('Overture’s categories', () => {
  test('fill each leaf by the names of every list that has it', () => {
    expect(Object.keys(FREQUENT).sort()).toEqual(
      LEAVES.filter((label) => !NEVER.includes(label)).sort(),
    );
    for (const [leaf, text] of Object.entries(FREQUENT)) {
      const names = text.split(' ');
      for (const [i, makes] of [oldName, taxonomy, taxonomy].entries()) {
        const name = names[i] ?? names[0];
        if (name !== '-') expect(leavesOf(makes(name)), name).toContain(leaf);
      }
    }
  });

  test('are of leaves only, and either of one or left out', () => {
    const named = Object.values(OVERTURE_CATEGORIES).flat();
    expect(LEAVES).toEqual(expect.arrayContaining(Object.keys(OVERTURE_CATEGORIES)));
    expect(LEAVES).toEqual(expect.arrayContaining(EXPECTED_AMONG.flatMap(([, some]) => some)));
    expect(WITHOUT_LEAF.filter((name) => named.includes(name))).toEqual([]);
  });

  test.each([
    ['food_and_drink > restaurant > thai', 'restaurants'],
    ['food_and_drink > casual_eatery > cafe > ferret_cafe', 'cafes'],
    ['food_and_drink > alcoholic_beverage_venue > bar > gin', 'bars_and_pubs'],
    ['food_and_drink > casual_eatery > bakery > brownie_shop', 'bakeries'],
    ['shopping > food_and_beverage_store > grocery_store > thai_grocer', 'grocery_stores'],
    ['shopping > warehouse_club_store > club', 'wholesale_clubs'],
    ['shopping > market > flower_hall', 'marketplaces'],
    ['shopping > fashion_and_apparel_store > clothing_store > kimonos', 'clothes_shops'],
    ['shopping > fashion_and_apparel_store > eyewear_store > glasses', 'optometrists'],
    ['shopping > specialty_store > pharmacy_and_drug_store > chemist', 'pharmacies'],
    ['health_care > outpatient_care_facility > dental_clinic > implants', 'dentists'],
    ['health_care > outpatient_care_facility > vision_or_eye_care_clinic > od', 'optometrists'],
    ['health_care > outpatient_care_facility > pediatric_clinic > newborns', 'doctors'],
    ['health_care > outpatient_care_facility > travel_health', 'clinics'],
    ['health_care > doctor > hand_specialist', 'doctors'],
    ['health_care > hospital > day_hospital', 'hospitals'],
    ['education > place_of_learning > school > bilingual', 'schools_level_unknown'],
    ['arts_and_entertainment > museum > stamps', 'museums'],
    ['sports_and_recreation > sport_or_fitness_facility > sport_court > padel', 'sports_pitches'],
    ['sports_and_recreation > sport_or_fitness_facility > fitness_studio > zumba', 'gyms'],
    ['cultural_and_historic > place_of_worship > jain', 'other_worship'],
    ['cultural_and_historic > place_of_worship > muslim_place_of_worship > x', 'mosques'],
    ['lifestyle_services > animal_or_pet_service > veterinary_care > vet', 'veterinarians'],
    ['services_and_business > financial_service > bank_or_credit_union > savings', 'banks'],
  ])('that have no name here, such as %s, are of the leaf of their parent', (names, leaf) => {
    expect(leavesOf(taxonomy(names))).toEqual([leaf]);
  });

  test.each([
    'health_care > outpatient_care_facility > specialized_health_care > nursing',
    'health_care > outpatient_care_facility > specialized_health_care > ear_nose_and_throat > audiology',
    'health_care > outpatient_care_facility > specialized_health_care > medical_skin_care > tattoo_removal',
    'health_care > outpatient_care_facility > physical_medicine_and_rehabilitation > physical_therapy',
    'health_care > outpatient_care_facility > complementary_and_alternative_medicine > chiropractic',
    'health_care > outpatient_care_facility > behavioral_or_mental_health_clinic > counseling',
    'health_care > doctor > surgeon > cardiovascular_and_thoracic_surgeon',
    'health_care > doctor > audiologist',
    'food_and_drink > alcoholic_beverage_venue > lounge > airport_lounge',
    'food_and_drink > casual_eatery > cafe > internet_cafe',
    'shopping > fashion_and_apparel_store > eyewear_store > sunglasses_store',
    'sports_and_recreation > sport_or_fitness_facility > golf_course > driving_range',
    'services_and_business > professional_service > attorney_or_law_firm',
  ])('that a parent is too wide for, such as %s, are of no leaf', (names) => {
    expect(leavesOf(taxonomy(names))).toEqual([]);
    const basic_category = names.split(' > ').at(-2);
    expect(leavesOf({ ...taxonomy(names), basic_category })).toEqual([]);
  });

  test.each([
    // While records have both, the old name is the more specific one.
    [
      { ...oldName('supermarket'), ...taxonomy('grocery_store') },
      ['grocery_stores', 'supermarkets'],
    ],
    [{ ...oldName('temple'), ...taxonomy('place_of_worship') }, ['temples']],
    [{ ...oldName('tattoo_removal'), ...taxonomy('specialized_health_care') }, []],
    [{ ...oldName('a_new_one'), ...taxonomy('shopping > bike_store') }, ['bike_shops']],
    [{ ...taxonomy('sushi'), basic_category: 'restaurant' }, ['restaurants']],
    [{ ...taxonomy('cafe'), basic_category: 'restaurant' }, ['cafes']],
    [{ taxonomy: { hierarchy: ['education', 'library'] } }, ['libraries']],
    [{ taxonomy: '{"primary":"x","hierarchy":["library","x"]}' }, ['libraries']],
    [{ basic_category: 'library' }, ['libraries']],
  ])('of one place count in order of precision: %j', (members, leaves) => {
    expect(leavesOf(members)).toEqual(leaves);
  });
});
