import { execFileSync } from 'node:child_process';
import { beforeAll, describe, expect, test } from 'vitest';
import { osmDestId } from '../../builder/destinations/dest-id.ts';
import type { Destination } from '../../builder/destinations/destination.ts';
import { TAXONOMY, type TagRule, type TaxonomyEntry } from '../../builder/destinations/taxonomy.ts';
import { silent } from '../../builder/progress.ts';
import { type OplElement, readWithOsmium } from '../osm/opl.ts';
import { Scratch } from '../osm/scratch.ts';
import { BALTIMORE_OSM } from '../support/baltimore.ts';
import { ensureDebianPackage } from '../support/debian.ts';
import { extractOsm } from '../support/prepared-city.ts';

/** Elements mapped as a school for children that are not one, or are duplicates. */
const NO_SCHOOLS: readonly (string | undefined)[] = [
  '101 Ellwood Apartments',
  'Armstead Gardens Elementary School',
  'Baltimore City Community College-Harbor Campus',
  'Bloomberg School of Public Health',
  "Graceland Park-O'Donnell Heights Elementary School",
  'John Ruhrah Elementary School',
  'Johnston Square Elementary School',
  'Living Classrooms Foundation',
  'Patterson High School',
  'Sojourner Douglas College',
  'Tae Kwon Do Academy',
  // The unnamed grounds of two schools.
  undefined,
];

/** Two buildings of Johns Hopkins Bayview Medical Center. */
const UNNAMED_PARTS = new Set(['way 167644847', 'way 167644853']);

const scratch = new Scratch();
const leafNamed = new Map(TAXONOMY.map((entry) => [entry.label, entry]));

/** The elements that osmium finds for a leaf type by the type's rules, with one filter per key. */
function foundByOsmium({ osm }: TaxonomyEntry): Map<number, OplElement> {
  const found = new Map<number, OplElement>();
  for (const rule of osm ?? []) {
    let path = BALTIMORE_OSM;
    for (const [step, [key, wanted]] of Object.entries(rule).entries()) {
      const filtered = scratch.path(`filtered-${step}.osm.pbf`);
      filter(path, filtered, `nwr/${key}=${[wanted].flat().join(',')}`);
      path = filtered;
    }
    for (const element of readWithOsmium(path)) {
      if (!isClosed(element)) found.set(osmDestId(element.type, element.id), element);
    }
  }
  return found;
}

function filter(from: string, to: string, ...expressions: string[]): void {
  execFileSync('osmium', ['tags-filter', '-R', from, ...expressions, '-o', to, '--overwrite']);
}

function isClosed({ tags }: OplElement): boolean {
  const isPrivate = ['private', 'no'].includes(tags.get('access') ?? '');
  const isOpenAir = ['leisure', 'natural', 'boundary', 'landuse'].some((key) => tags.has(key));
  const isGone = / \((historical|out of business as of 2014)\)$/.test(tags.get('name') ?? '');
  return (isOpenAir && isPrivate) || isGone;
}

describe('the destinations of a real city', () => {
  let destinations: readonly Destination[];

  beforeAll(async () => {
    await ensureDebianPackage('osmium-tool', 'osmium');
    const everywhere = { minLon: -180, minLat: -90, maxLon: 180, maxLat: 90 };
    destinations = (await extractOsm([BALTIMORE_OSM], everywhere, silent)).destinations;
  });

  const ofLeaf = (label: string) =>
    destinations.filter(({ types }) => types.includes(leafNamed.get(label)!.dest_type_id));

  /** Elements that may belong to a leaf by name only. */
  const BY_NAME: Readonly<Record<string, TagRule>> = {
    universities: { amenity: 'school' },
    colleges: { amenity: 'school' },
    kindergartens: { amenity: 'school' },
    childcare: { amenity: 'school' },
    community_centres: { leisure: 'park' },
    churches: { amenity: 'place_of_worship' },
    synagogues: { amenity: 'place_of_worship' },
    mosques: { amenity: 'place_of_worship' },
    temples: { amenity: 'place_of_worship' },
  };

  const plainLeaves = TAXONOMY.filter(({ osm, source }) => osm && !source);
  test.each(plainLeaves.map(({ label }) => label))(
    'are, for %s, those that osmium finds by tag, or by name, minus duplicates of outlines',
    (label) => {
      const leaf = leafNamed.get(label)!;
      const found = foundByOsmium(leaf);
      const kept = new Map(ofLeaf(label).map((destination) => [destination.destId, destination]));
      const more = label in BY_NAME ? foundByOsmium({ ...leaf, osm: [BY_NAME[label]] }) : found;
      expect([...kept.keys()].filter((id) => !found.has(id) && !more.has(id))).toEqual([]);
      const outlines = [...kept.values()].filter(({ source }) => !source.startsWith('node '));
      const letters = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
      const names = new Set(outlines.map(({ name }) => letters(name)));
      for (const [id, element] of found) {
        if (UNNAMED_PARTS.has(`${element.type} ${element.id}`)) continue;
        const name = element.tags.get('name') ?? element.tags.get('operator') ?? label;
        if (kept.has(id) || (label === 'churches' && name.includes('Convent'))) continue;
        // Sports centres for hockey and duckpin bowling.
        if (label === 'gyms' && /Rink|Bowling/.test(name)) continue;
        expect(names, `${element.type} ${element.id}`).toContain(letters(name));
      }
    },
  );

  test('include its schools, with known levels or with an unknown one', () => {
    const [{ osm }] = [leafNamed.get('elementary_schools')!];
    const found = foundByOsmium({ ...leafNamed.get('elementary_schools')!, osm });
    const kinds = ['elementary_schools', 'middle_schools', 'high_schools', 'schools_level_unknown'];
    const faiths = ofLeaf('private_schools').map(({ name }) => name);
    expect(faiths).toEqual(expect.arrayContaining(['Saint Leos School', "St. Casimir's School"]));
    const schools = new Set([...kinds, 'private_schools'].flatMap(ofLeaf));
    expect([...schools].every(({ destId }) => found.has(destId))).toBe(true);
    // The elements left out are no schools for children, or are duplicates.
    const gone = [...found].filter(([id]) => ![...schools].some(({ destId }) => destId === id));
    const names = gone.map(([, { tags }]) => tags.get('name')).sort();
    expect(names).toEqual(NO_SCHOOLS);
    const unknown = new Set(ofLeaf('schools_level_unknown'));
    for (const label of kinds.slice(0, 3)) {
      expect(ofLeaf(label).some((school) => unknown.has(school))).toBe(false);
    }
    const twoLevels = ofLeaf('elementary_schools').filter((s) =>
      ofLeaf('middle_schools').includes(s),
    );
    expect(twoLevels.map(({ name }) => name)).toContain(
      'Commodore John Rodgers Elementary & Middle School',
    );
  });

  test('include no convents among its churches, and each pizzeria once', () => {
    const churches = ofLeaf('churches').map(({ name }) => name);
    expect(churches.filter((name) => name.includes('Convent'))).toEqual([]);
    expect(churches).toContain('Bethel Holy Tabernacle');
    const restaurants = ofLeaf('restaurants').map(({ name }) => name);
    // One pizzeria is mapped as two outlines eight metres apart.
    expect(restaurants.filter((name) => name === "Soprano's Pizza")).toHaveLength(1);
  });

  test('include its parks by size, each park once', () => {
    const found = foundByOsmium(leafNamed.get('parks_small')!);
    const parks = ['parks_small', 'parks_medium', 'parks_large'].map(ofLeaf);
    const ids = new Set(parks.flat().map(({ destId }) => destId));
    expect([...ids].filter((id) => !found.has(id))).toEqual([]);
    // Nodes that duplicate an outline are left out, and so are nodes that are no park by name.
    const left = [...found]
      .filter(([id]) => !ids.has(id))
      .map(([, { type, tags }]) => `${type} ${tags.get('name')}`);
    expect(left.sort()).toEqual([
      'node Butchers Hill Historic District',
      'node Chick Webb Recreation Center',
      'node Fells Point Historic District',
      'node Joseph Lee Park',
      'node Joseph Lee Recreation Center',
      'node Madison Square',
    ]);
    // Patterson Park has 55 hectares.
    expect(parks[2].map(({ name }) => name)).toContain('Patterson Park');
    expect(parks.flat().filter(({ entrances }) => entrances.length > 1).length).toBeGreaterThan(5);
  });

  test('have unique ids in ascending order, names and types, and lie in the city', () => {
    const ids = destinations.map(({ destId }) => destId);
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
    for (const { source, name, types, entrances, lon, lat } of destinations) {
      expect(name, source).not.toBe('');
      expect(types.length, source).toBeGreaterThan(0);
      expect(entrances.length, source).toBeGreaterThan(0);
      expect(lon > -76.67 && lon < -76.48 && lat > 39.21 && lat < 39.35, source).toBe(true);
    }
  });

  test('fill at least 40 leaves', () => {
    expect(new Set(destinations.flatMap(({ types }) => types)).size).toBeGreaterThanOrEqual(40);
    expect(destinations.length).toBeGreaterThan(650);
  });
});
