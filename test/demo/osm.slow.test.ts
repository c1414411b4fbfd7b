import { beforeAll, describe, expect, test } from 'vitest';
import { TAXONOMY, type TagRule } from '../../builder/destinations/taxonomy.ts';
import { PLAIN_GRID_PLACES } from '../../infra/demo/plain-grid.ts';
import { type OplElement, readWithOsmium } from '../osm/opl.ts';
import { ensureDebianPackage } from '../support/debian.ts';
import { cityOfTests, output } from './written-city.ts';

const city = cityOfTests(500, 7);
let elements: readonly OplElement[];

beforeAll(async () => {
  await ensureDebianPackage('osmium-tool', 'osmium');
  elements = readWithOsmium(city.files.osm);
});

describe('the street map of the demo city', () => {
  test('is a sorted, complete PBF file that states its box and its time', async () => {
    const info = JSON.parse(await output('osmium', 'fileinfo', '-e', '-j', city.files.osm));
    expect(info.data.objects_ordered).toBe(true);
    expect(info.data.multiple_versions).toBe(false);
    expect(info.header.option.sorting).toBe('Type_then_ID');
    expect(info.header.option.osmosis_replication_timestamp).toMatch(/^20\d\d-\d\d-\d\dT/);
    const [[west, south, east, north]] = info.header.boxes;
    const [minLon, minLat, maxLon, maxLat] = info.data.bbox;
    expect([west < minLon, south < minLat, east > maxLon, north > maxLat]).not.toContain(false);
    expect(info.data.count.relations).toBeGreaterThan(1);
  });

  test('contains everything that it refers to', async () => {
    // Exits with code 1 when anything is missing.
    await output('osmium', 'check-refs', '-r', city.files.osm);
  });

  test.each(TAXONOMY.filter((entry) => entry.osm?.length).map((entry) => entry.label))(
    'has a POI of the type %s',
    async (label) => {
      const { source, osm } = TAXONOMY.find((entry) => entry.label === label)!;
      const found = elements.filter((element) => osm!.some((rule) => meets(element, rule)));
      if (source === 'school-level') {
        const names = found.map((element) => element.tags.get('name') ?? '');
        expect(names.some((name) => LEVEL_IN_NAME[label].test(name))).toBe(true);
      } else if (source === 'park-size') {
        expect((await parkHectares()).some(IS_OF_SIZE[label])).toBe(true);
      } else {
        expect(found.length).toBeGreaterThan(0);
        expect(found.every((element) => element.tags.has('name'))).toBe(true);
      }
    },
  );

  test.each(PLAIN_GRID_PLACES.map((place) => place.label))(
    'has a single POI of the type %s, to which the plain grid is measured',
    (label) => {
      const { osm } = TAXONOMY.find((entry) => entry.label === label)!;
      const found = elements.filter((element) => osm!.some((rule) => meets(element, rule)));
      expect(found).toHaveLength(1);
    },
  );

  test('has POIs of all three kinds of element, with addresses and brands', () => {
    const places = elements.filter((e) => e.tags.has('addr:street'));
    expect(new Set(places.map((e) => e.type))).toEqual(new Set(['node', 'way', 'relation']));
    expect(places.some((e) => e.tags.has('brand'))).toBe(true);
    for (const { tags } of places) {
      expect(tags.get('addr:housenumber')).toMatch(/^\d+$/);
      expect(tags.get('addr:state')).toMatch(/^[A-Z]{2}$/);
      expect(tags.get('addr:postcode')).toMatch(/^\d{5}$/);
    }
  });

  test('has gates in every park outline, where its paths pass', async () => {
    const gates = new Set(
      elements
        .filter((e) => e.tags.get('barrier') === 'gate' || e.tags.get('entrance') === 'yes')
        .map((e) => e.id),
    );
    const onPaths = new Set(streets().flatMap((way) => way.refs!));
    const outlines = elements.filter((e) => e.type === 'way' && e.tags.get('leisure') === 'park');
    expect(outlines.length).toBeGreaterThan(3);
    for (const outline of outlines) {
      const passed = outline.refs!.filter((ref) => gates.has(ref) && onPaths.has(ref));
      expect(passed.length).toBeGreaterThan(1);
    }
  });

  test('is one piece with its two bridges, two pieces without them, and has a courtyard apart', () => {
    const large = (sizes: readonly number[]) => sizes.filter((size) => size >= 40);
    const small = (sizes: readonly number[]) => sizes.filter((size) => size < 40);
    const bridges = streets().filter((way) => way.tags.has('bridge'));
    const whole = pieces(streets());
    expect(new Set(bridges.map((way) => way.tags.get('name'))).size).toBe(2);
    expect(bridges).toHaveLength(2);
    expect(large(whole)).toHaveLength(1);
    expect(small(whole)).toEqual([9]);
    expect(large(pieces(streets().filter((way) => !way.tags.has('bridge'))))).toHaveLength(2);
  });

  test('has one-way streets, a cycle path, and a motorway that meets no street', () => {
    expect(streets().some((way) => way.tags.get('oneway') === 'yes')).toBe(true);
    expect(streets().some((way) => way.tags.get('highway') === 'cycleway')).toBe(true);
    const onStreets = new Set(streets().flatMap((way) => way.refs!));
    const motorway = elements.filter((e) => e.tags.get('highway') === 'motorway');
    expect(motorway.length).toBeGreaterThan(0);
    for (const ref of motorway.flatMap((way) => way.refs!)) expect(onStreets).not.toContain(ref);
  });
});

const LEVEL_IN_NAME: Readonly<Record<string, RegExp>> = {
  elementary_schools: / Elementary School$/,
  middle_schools: / Middle School$/,
  high_schools: / High School$/,
  schools_level_unknown: /^\w+ School$/,
};

const IS_OF_SIZE: Readonly<Record<string, (hectares: number) => boolean>> = {
  parks_small: (hectares) => hectares < 0.9,
  parks_medium: (hectares) => hectares > 1.1 && hectares < 9,
  parks_large: (hectares) => hectares > 11,
};

function meets(element: OplElement, rule: TagRule): boolean {
  return Object.entries(rule).every(([key, wanted]) => {
    const value = element.tags.get(key);
    return value !== undefined && (typeof wanted === 'string' ? [wanted] : wanted).includes(value);
  });
}

/** Hectares of the parks as osmium assembles them. */
async function parkHectares(): Promise<number[]> {
  const areas = JSON.parse(
    await output('osmium', 'export', city.files.osm, '-f', 'geojson', '--geometry-types=polygon'),
  ) as {
    features: { properties: Record<string, string>; geometry: { coordinates: Rings[] } }[];
  };
  return areas.features
    .filter((feature) => feature.properties.leisure === 'park')
    .map((feature) => feature.geometry.coordinates.reduce((sum, p) => sum + hectares(p), 0));
}

type Rings = (readonly (readonly [number, number])[])[];

/** Hectares of a polygon on a sphere of the Earth's mean radius, within half a percent. */
function hectares([outer, ...holes]: Rings): number {
  const radius = 6_371_008.8;
  const metres = (Math.PI / 180) * radius;
  const area = (ring: Rings[number]) => {
    let twice = 0;
    for (let i = 1; i < ring.length; i++) {
      twice += (ring[i][0] - ring[i - 1][0]) * (ring[i][1] + ring[i - 1][1] - 2 * ring[0][1]);
    }
    return Math.abs(twice / 2) * metres * metres * Math.cos((ring[0][1] * Math.PI) / 180);
  };
  return (area(outer) - holes.reduce((sum, hole) => sum + area(hole), 0)) / 1e4;
}

/** Ways that people may walk. */
function streets(): OplElement[] {
  return elements.filter(
    (e) => e.type === 'way' && e.tags.has('highway') && e.tags.get('highway') !== 'motorway',
  );
}

/** Sizes, in nodes, of the connected pieces of ways. */
function pieces(ways: readonly OplElement[]): number[] {
  const neighbours = new Map<number, number[]>();
  const join = (a: number, b: number) => neighbours.set(a, [...(neighbours.get(a) ?? []), b]);
  for (const { refs = [] } of ways) {
    for (let i = 1; i < refs.length; i++) {
      join(refs[i - 1], refs[i]);
      join(refs[i], refs[i - 1]);
    }
  }
  const seen = new Set<number>();
  const sizes: number[] = [];
  for (const start of neighbours.keys()) {
    if (seen.has(start)) continue;
    const before = seen.size;
    const queue = [start];
    seen.add(start);
    for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
      for (const next of neighbours.get(node)!) {
        if (!seen.has(next)) queue.push(next);
        seen.add(next);
      }
    }
    sizes.push(seen.size - before);
  }
  return sizes;
}
