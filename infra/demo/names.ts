import type { TaxonomyEntry } from '../../builder/destinations/taxonomy.ts';
import type { CityPlan } from './city-plan.ts';
import { Random } from './seeded-random.ts';

export interface StreetNames {
  /** The street along a row line: west to east. */
  along(row: number): string;
  /** The street along a column line: south to north. */
  across(column: number): string;
}

const TREES = words(`
  Alder Ash Aspen Beech Birch Cedar Cherry Chestnut Cypress Elder Elm Fir Hawthorn Hazel Hemlock
  Hickory Holly Hornbeam Juniper Larch Laurel Linden Locust Magnolia Maple Mulberry Myrtle Oak
  Olive Pear Pine Plane Plum Poplar Quince Rowan Spruce Sumac Sycamore Tamarack Walnut Willow
  Yew
`);
const SUFFIXES = words(`
  Avenue Lane Road Row Terrace Way Drive Place Parade Walk Rise Crescent Grove Court Park Hill
  View Green Gardens Mews Heights Square Close Bank Side
`);

const FOUNDERS = words(`
  Abel Barlow Calder Darrow Ellery Farrow Garland Hollis Ingram Jessop Kestrel Lockyer Marlowe
  Norwood Osprey Pemberton Quill Rook Selby Tallis Underhill Vesper Wexford Yarrow Zephyr
`);
const MOODS = words(`
  Blue Bright Copper Corner Fair Golden Grand Green Harbor Little Meridian New North Old Quiet
  Red Seaside Silver Tidewater Union
`);

/** Chains, by the label of the type they belong to. */
const BRANDS: Readonly<Record<string, readonly string[]>> = {
  supermarkets: ['Harvest & Tide', 'Fairmarket'],
  convenience_stores: ['Quickstep', 'Night Owl'],
  cafes: ['Compass Coffee House', 'Second Bell'],
  fast_food: ['Burger Buoy', 'Pronto Noodle'],
  banks: ['Meridian Savings', 'Halcyon Trust'],
  pharmacies: ['Wellspring', 'Mortar & Pestle'],
};
const BRANDED_SHARE = 0.4;

/** Nouns used in names instead of the type's own name. */
const NOUNS: Readonly<Record<string, string>> = {
  grocery_stores: 'Grocery',
  fresh_food_shops: 'Provisions',
  fast_food: 'Kitchen',
  bars_and_pubs: 'Tavern',
  ice_cream: 'Ice Cream Parlor',
  schools_level_unknown: 'School',
  kindergartens: 'Preschool',
  doctors: 'Family Practice',
  dentists: 'Dental Care',
  veterinarians: 'Animal Hospital',
  museums: 'Museum',
  theatres: 'Theater',
  community_centres: 'Community Center',
  banks: 'Bank',
  hairdressers: 'Hair Studio',
  hardware_stores: 'Hardware',
  clothes_shops: 'Outfitters',
  police_and_fire: 'Precinct House',
  department_stores: 'Department Store',
  gyms: 'Fitness Center',
  rail_stations: 'Station',
  bike_rental: 'Bike Share',
};

const DISTRICTS = ['Heights', 'Hill', 'Village', 'Point', 'Grove', 'Square', 'Mills', 'Gardens'];

const STREAM = { streets: 0x57, places: 0x91, districts: 0xd1 };

export function streetNames(plan: CityPlan): StreetNames {
  const trees = new Random(plan.seed, STREAM.streets).shuffle(TREES);
  return {
    along: (row) => {
      const round = Math.floor(row / trees.length);
      return `${trees[row % trees.length]} ${SUFFIXES[round % SUFFIXES.length]}`;
    },
    across: (column) =>
      column === plan.countyLine ? 'County Line Road' : `${ordinal(column + 1)} Street`,
  };
}

/** Name of a POI of a type, and its brand if it belongs to a chain. */
export function placeName(
  leaf: TaxonomyEntry,
  random: Random,
): { readonly name: string; readonly brand: string | null } {
  const brands = BRANDS[leaf.label];
  if (brands && random.chance(BRANDED_SHARE)) {
    const brand = random.pick(brands);
    return { name: brand, brand };
  }
  const first = random.pick(random.chance(0.5) ? FOUNDERS : MOODS);
  return { name: `${first} ${nounOf(leaf)}`, brand: null };
}

export function parkName(plan: CityPlan, { column, row }: { column: number; row: number }): string {
  const random = new Random(plan.seed, STREAM.places, column, row);
  return `${random.pick(FOUNDERS)} Park`;
}

export function neighbourhoodName(plan: CityPlan, n: number): string {
  const founders = new Random(plan.seed, STREAM.districts).shuffle(FOUNDERS);
  return `${founders[n % founders.length]} ${DISTRICTS[n % DISTRICTS.length]}`;
}

/** `Elementary schools` → `Elementary School`, `Churches` → `Church`. */
function nounOf({ label, name }: TaxonomyEntry): string {
  const singular = name
    .replace(/^Public /, '')
    .replace(/ies$/, 'y')
    .replace(/(ch|sh|x)es$/, '$1')
    .replace(/s$/, '');
  return NOUNS[label] ?? singular.replaceAll(/(^| )(\w)/g, (word) => word.toUpperCase());
}

function ordinal(n: number): string {
  const teen = n % 100 >= 11 && n % 100 <= 13;
  const suffix = teen ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th');
  return `${n}${suffix}`;
}

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}
