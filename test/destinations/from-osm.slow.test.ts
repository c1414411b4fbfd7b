import { beforeAll, describe, expect, test } from 'vitest';
import type { Destination } from '../../builder/destinations/destination.ts';
import { mergeDuplicates } from '../../builder/destinations/duplicates.ts';
import { TAXONOMY } from '../../builder/destinations/taxonomy.ts';
import { silent } from '../../builder/progress.ts';
import { EVERYWHERE } from '../../shards/geometry/wgs84.ts';
import { Scratch } from '../osm/scratch.ts';
import { ensureDebianPackage } from '../support/debian.ts';
import { extractOsm } from '../support/prepared-city.ts';
import { boxRing } from '../support/rings.ts';
import { standardWorks } from '../support/standard-work.ts';

const scratch = new Scratch();
const labelOf = new Map(TAXONOMY.map((entry) => [entry.dest_type_id, entry.label]));
/** A street far from everything, since an area without streets is refused. */
const SOMEWHERE = ['n9001 T x5 y5', 'n9002 T x5.001 y5', 'w9001 Thighway=residential Nn9001,n9002'];
let files = 0;

beforeAll(() => ensureDebianPackage('osmium-tool', 'osmium'));

/** The destinations of OPL lines, read like any file. */
async function destinations(opl: readonly string[], area = EVERYWHERE): Promise<Destination[]> {
  const path = scratch.pbf(`place-${files++}`, [...opl, ...SOMEWHERE]);
  return (await extractOsm([path], area, silent)).destinations;
}

function labels({ types }: Destination): string[] {
  return types.map((type) => labelOf.get(type)!);
}

/** The four corners of a square as nodes `first` to `first + 3`; `side` of 0.001 is about 111 m. */
function square(first: number, lon: number, lat: number, side: number): string[] {
  const corners = boxRing(lon, lat, lon + side, lat + side).slice(0, 4);
  return corners.map(([x, y], i) => `n${first + i} T x${x.toFixed(7)} y${y.toFixed(7)}`);
}

function ring(first: number): string {
  return [0, 1, 2, 3, 0].map((i) => `n${first + i}`).join(',');
}

describe('a place', () => {
  test('has the id of its element, and lies on its node or in the centre of its outline', async () => {
    const [node, way] = await destinations([
      'n5 Tamenity=cafe,name=One x0.5 y0.5',
      ...square(10, 1, 0, 0.001),
      `w5 Tamenity=library,name=Two N${ring(10)}`,
    ]);
    expect(node).toMatchObject({ destId: 21, source: 'node 5', name: 'One', lon: 0.5, lat: 0.5 });
    expect(node.entrances).toEqual([{ lon: 0.5, lat: 0.5 }]);
    expect(way).toMatchObject({ destId: 22, source: 'way 5', name: 'Two' });
    expect(way.lon).toBeCloseTo(1.0005, 9);
    expect(way.lat).toBeCloseTo(0.0005, 9);
    expect(way.entrances).toEqual([{ lon: way.lon, lat: way.lat }]);
  });

  test('may be a multipolygon, with the relation’s tags and without its hole', async () => {
    const [place, ...others] = await destinations([
      ...square(10, 0, 0, 0.003),
      ...square(20, 0.001, 0.001, 0.001),
      `w1 T N${ring(10)}`,
      `w2 T N${ring(20)}`,
      'r7 Ttype=multipolygon,amenity=library,name=Court Mw1@outer,w2@inner',
    ]);
    expect(others).toEqual([]);
    expect(place).toMatchObject({ destId: 31, source: 'relation 7', name: 'Court' });
    const inHole = [place.lon, place.lat].every((x) => x > 0.001 && x < 0.002);
    expect(inHole).toBe(false);
  });

  test('takes its name from its brand, its operator, or its kind', async () => {
    const named = await destinations([
      'n1 Tshop=supermarket,name=Name,brand=Brand,operator=Op x0 y0',
      'n2 Tshop=supermarket,brand=Brand,operator=Op x0.1 y0',
      'n3 Tshop=supermarket,operator=Op x0.2 y0',
      'n4 Tamenity=fast_food x0.3 y0',
    ]);
    expect(named.map(({ name }) => name)).toEqual(['Name', 'Brand', 'Op', 'Fast food']);
    expect(named.map(({ brand }) => brand)).toEqual(['Brand', 'Brand', null, null]);
  });

  test('has the address in its tags, and null for missing parts', async () => {
    const address = (tags: string) => `Tamenity=cafe,name=C,${tags}`;
    const found = await destinations([
      `n1 ${address('addr:housenumber=12,addr:street=Main%20%St,addr:city=Elm,addr:state=md,addr:postcode=21201')} x0 y0`,
      `n2 ${address('addr:housenumber=12,addr:street=Main%20%St,addr:unit=3B')} x0.1 y0`,
      `n3 ${address('addr:street=Main%20%St,addr:state=Maryland')} x0.2 y0`,
      'n4 Tamenity=cafe,name=C x0.3 y0',
    ]);
    const none = { street: null, city: null, state: null, zip: null };
    expect(found.map((place) => place.address)).toEqual([
      { street: '12 Main St', city: 'Elm', state: 'MD', zip: '21201' },
      { ...none, street: '12 Main St, Unit 3B' },
      { ...none, street: 'Main St' },
      none,
    ]);
  });

  test('that the map calls historical is not a destination', async () => {
    const found = await destinations([
      'n1 Tamenity=school,name=Fleet%20%School%20%(historical) x0 y0',
      'n2 Ttourism=museum,name=Historical%20%Society x0.1 y0',
    ]);
    expect(found.map(({ name }) => name)).toEqual(['Historical Society']);
  });

  test('is included if it lies in the requested area', async () => {
    const area = { minLon: 4, minLat: 4, maxLon: 6, maxLat: 6 };
    const found = await destinations(
      ['n1 Tamenity=cafe,name=In x5.5 y5.5', 'n2 Tamenity=cafe,name=Out x6.5 y5.5'],
      area,
    );
    expect(found.map(({ name }) => name)).toEqual(['In']);
  });
});

describe('a place mapped twice', () => {
  const building = [
    ...square(10, 0, 0, 0.001),
    `w1 Tamenity=cafe,name=Caf%e9%%20%Één N${ring(10)}`,
  ];

  test.each([
    ['', 'CAFE%20%EEN'],
    [' though its name has more words', 'Cafe%20%Een,%20%Ltd'],
  ])('as outline and node is one%s: with the node’s additional details', async (_, name) => {
    const found = await destinations([
      ...building,
      `n1 Tamenity=cafe,name=${name.replaceAll(',', '%2c%')},brand=B,addr:city=Elm x0.0009 y0.0009`,
    ]);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({
      source: 'way 1',
      brand: 'B',
      address: { city: 'Elm' },
    });
  });

  test.each([
    ['further than a hundred metres', 'n1 Tamenity=cafe,name=Cafe%20%Een x0.0022 y0.0005'],
    ['of another name', 'n1 Tamenity=cafe,name=Cafe%20%Twee x0.0005 y0.0005'],
    ['of another type', 'n1 Tamenity=bar,name=Cafe%20%Een x0.0005 y0.0005'],
  ])('is two where the node is %s', async (_, node) => {
    expect(await destinations([...building, node])).toHaveLength(2);
  });

  test('as two nodes is two: chains and bus stops share their names', async () => {
    const stop = (id: number) => `n${id} Thighway=bus_stop,name=Main%20%St x0.000${id} y0`;
    expect(await destinations([stop(1), stop(2)])).toHaveLength(2);
  });

  test('is merged in time however many share a name', async () => {
    const many = Array.from({ length: 40_000 }, (_, i): Destination => {
      const at = { lon: (i >> 1) / 200, lat: 0 };
      const source = i % 2 === 0 ? `node ${i}` : `way ${i}`;
      const address = { street: null, city: null, state: null, zip: null };
      return {
        destId: i,
        source,
        name: 'Pitch',
        address,
        brand: null,
        types: [804],
        ...at,
        entrances: [at],
      };
    });
    const works = await standardWorks(() => expect(mergeDuplicates(many)).toHaveLength(20_000));
    expect(works).toBeLessThan(100);
  });
});

/** The entrances of a place, in metres east and north of the origin, sorted by west, then south. */
function entered({ entrances }: Destination): string[] {
  const metres = (degrees: number) => Math.round(degrees * 111_320);
  const at = entrances.map(({ lon, lat }) => [metres(lon), metres(lat)]);
  return [...new Set(at.sort(([a, b], [c, d]) => a - c || b - d).map((point) => point.join(' ')))];
}

describe('a park', () => {
  // A square of 223 m with a corner at the origin.
  const outline = square(10, 0, 0, 0.002);
  const park = `w1 Tleisure=park,name=Green N${ring(10)}`;

  test('has entrances all along an adjacent street, and where footways meet it', async () => {
    // A street runs 44 m south of the park, another 56 m east, and a motorway 11 m north; a tunnel
    // is in the west.
    const [green, ...others] = await destinations([
      ...outline,
      'n1 T x-0.01 y-0.0004',
      'n2 T x0.01 y-0.0004',
      'n3 T x0.0025 y-0.01',
      'n4 T x0.0025 y0.01',
      'n5 T x-0.01 y0.0021',
      'n6 T x0.01 y0.0021',
      'n7 T x-0.0001 y0.001',
      'n8 T x-0.0001 y0.01',
      'n9 T x0.003 y0.003',
      park,
      'w2 Thighway=residential Nn1,n2',
      'w3 Thighway=residential Nn3,n4',
      'w4 Thighway=motorway Nn5,n6',
      'w5 Thighway=footway,tunnel=yes Nn7,n8',
      'w6 Thighway=footway Nn9,n12',
    ]);
    expect(others).toEqual([]);
    expect(labels(green)).toEqual(['parks_medium']);
    const south = ['0 0', '49 0', '99 0', '148 0', '197 0'];
    // The end of the path, and points up to 50 m from there.
    const corner = ['173 223', '223 223', '223 173'];
    expect(entered(green).toSorted()).toEqual([...south, ...corner].toSorted());
  });

  test('that one path leads into also has entrances from the streets around it', async () => {
    const around = square(20, -0.0001, -0.0001, 0.0022);
    const [green] = await destinations([
      ...outline,
      ...around,
      park,
      `w2 Thighway=residential N${ring(20)}`,
      'w3 Thighway=footway Nn20,n10',
    ]);
    // One entrance every 50 m of the 890 m around the park.
    expect(entered(green)).toHaveLength(18);
  });

  test('is entered by the gates in its boundary, but not by closed ones', async () => {
    const [green] = await destinations([
      ...outline.slice(0, 1),
      'n11 Tbarrier=gate x0.002 y0',
      'n12 Tentrance=yes x0.002 y0.002',
      'n13 Tbarrier=gate,access=private x0 y0.002',
      park,
    ]);
    expect(green.entrances).toEqual([
      { lon: 0.002, lat: 0 },
      { lon: 0.002, lat: 0.002 },
    ]);
  });

  test('behind a fence is entered only by its openings, where any are mapped', async () => {
    const street = ['n1 T x-0.001 y0', 'n2 T x0.01 y0', 'w2 Thighway=residential Nn1,n2'];
    const fenced = `w1 Tleisure=park,barrier=fence N${ring(10)}`;
    const [green] = await destinations([
      ...outline.slice(0, 2),
      'n12 Tbarrier=gate x0.002 y0.002',
      outline[3],
      ...street,
      fenced,
    ]);
    expect(green.entrances).toEqual([{ lon: 0.002, lat: 0.002 }]);
    const [closed] = await destinations([...outline, ...street, fenced]);
    expect(entered(closed)).toContain('99 0');
  });

  test('without streets, paths and gates is entered at its point', async () => {
    const [green] = await destinations([...outline, park]);
    expect(green.entrances).toEqual([{ lon: green.lon, lat: green.lat }]);
  });

  test('and a node in or near its outline are one, whose size is that of the outline', async () => {
    const large = [...square(10, 0, 0, 0.008), `w1 Tleisure=park,name=Green%20%Park N${ring(10)}`];
    const node = (x: number) => `n1 Tleisure=park,name=GREEN%20%PARK,addr:city=Elm x${x} y0.0005`;
    const [green, ...others] = await destinations([...large, node(0.0075)]);
    expect(others).toEqual([]);
    expect(labels(green)).toEqual(['parks_large']);
    expect(green.address.city).toBe('Elm');
    // The node is 55 m, then 333 m, from the side of the park.
    expect(await destinations([...large, node(0.0085)])).toHaveLength(1);
    expect(await destinations([...large, node(0.011)])).toHaveLength(2);
  });

  test('has the size of its polygons, without their holes', async () => {
    // A square of 332 m less one of 311 m: 11 hectares, of which 9.7 are a lake.
    const found = await destinations([
      ...square(10, 0, 0, 0.003),
      ...square(20, 0.0001, 0.0001, 0.0028),
      `w1 T N${ring(10)}`,
      `w2 T N${ring(20)}`,
      'r1 Ttype=multipolygon,leisure=park,name=Shore Mw1@outer,w2@inner',
      ...square(30, 1, 0, 0.003),
      `w3 Tleisure=park,name=Meadow N${ring(30)}`,
    ]);
    expect(found.map((park) => [park.name, ...labels(park)])).toEqual([
      ['Shore', 'parks_medium'],
      ['Meadow', 'parks_large'],
    ]);
  });

  test('drawn as a boundary relation is a park too', async () => {
    const [park] = await destinations([
      ...outline,
      `w1 T N${ring(10)}`,
      'r1 Ttype=boundary,boundary=protected_area,leisure=park,name=State%20%Park Mw1@outer',
    ]);
    expect(park).toMatchObject({ name: 'State Park', source: 'relation 1' });
  });

  test('with its centre outside the area but an entrance inside is kept', async () => {
    const found = await destinations(
      [
        ...square(10, 5, 5, 0.01),
        'n1 T x4.9995 y5',
        `w1 Tleisure=park,name=Wide N${ring(10)}`,
        'w2 Thighway=footway Nn1,n10',
      ],
      { minLon: 4.99, minLat: 4.99, maxLon: 5.001, maxLat: 5.001 },
    );
    expect(found.map(({ name }) => name)).toEqual(['Wide']);
  });
});

describe('a place that is drawn twice', () => {
  // A square of 44 m, the size of a house.
  const house = (first: number, lon: number) => square(first, lon, 0, 0.0004);
  const two = (a: string, b: string, apart = 0.0006) =>
    destinations([
      ...house(10, 0),
      ...house(20, apart),
      `w1 T${a} N${ring(10)}`,
      `w2 T${b} N${ring(20)}`,
    ]);
  const pizza = 'amenity=restaurant,name=Sopranos%20%Pizza';

  test('is one, with the lower id and the details of both', async () => {
    const [place, ...others] = await two(pizza, `${pizza},addr:city=Elm`);
    expect(others).toEqual([]);
    expect(place).toMatchObject({ source: 'way 1', address: { city: 'Elm' } });
    const node = `n1 T${pizza} x0.0012 y0`;
    const withNode = await destinations([
      ...house(10, 0),
      ...house(20, 0.0006),
      node,
      `w1 T${pizza} N${ring(10)}`,
      `w2 T${pizza} N${ring(20)}`,
    ]);
    // The node lies next to the second outline.
    expect(withNode.map(({ source }) => source)).toEqual(['way 1']);
  });

  test.each([
    ['of other names', pizza, 'amenity=restaurant,name=Oak'],
    ['of other types', pizza, 'shop=bakery,name=Sopranos%20%Pizza'],
    ['without names', 'leisure=pitch', 'leisure=pitch'],
    ['named by their kind', 'leisure=pitch,name=Tennis', 'leisure=pitch,name=Tennis'],
    ['next door', `${pizza},addr:housenumber=1`, `${pizza},addr:housenumber=3`],
  ])('is two where the outlines are %s', async (_, a, b) => {
    const street = (tags: string) =>
      tags.includes('housenumber') ? `${tags},addr:street=Elm` : tags;
    expect(await two(street(a), street(b))).toHaveLength(2);
  });

  test('is two where a node has another house number than an outline', async () => {
    const numbered = (number: number) => `${pizza},addr:housenumber=${number},addr:street=Elm`;
    const withNode = (tags: string) =>
      destinations([...house(10, 0), `n1 T${tags} x0.0006 y0`, `w1 T${numbered(1)} N${ring(10)}`]);
    expect(await withNode(numbered(3))).toHaveLength(2);
    expect(await withNode(numbered(1))).toHaveLength(1);
    expect(await withNode(pizza)).toHaveLength(1);
  });

  test('is two more than a hundred metres apart', async () => {
    expect(await two(pizza, pizza, 0.0008)).toHaveLength(1);
    expect(await two(pizza, pizza, 0.001)).toHaveLength(2);
  });

  test('as its grounds and a house on them is the grounds', async () => {
    const school = 'amenity=school,name=Elm%20%High%20%School';
    const found = await destinations([
      ...house(10, 0.001),
      ...square(20, 0, 0, 0.003),
      `w1 T${school} N${ring(10)}`,
      `w2 T${school} N${ring(20)}`,
    ]);
    expect(found.map(({ source }) => source)).toEqual(['way 2']);
    // Two grounds stay separate: each has entrances along its own sides.
    const grounds = await destinations([
      ...square(10, 0, 0, 0.001),
      ...square(20, 0.0011, 0, 0.001),
      `w1 T${school} N${ring(10)}`,
      `w2 T${school} N${ring(20)}`,
    ]);
    expect(grounds).toHaveLength(2);
  });
});

describe('a place whose names differ by a letter', () => {
  const school = (name: string) => `amenity=school,name=${name.replaceAll(' ', '%20%')}`;
  const grounds = (name: string) => [
    ...square(10, 0, 0, 0.001),
    `w1 T${school(name)} N${ring(10)}`,
  ];
  const inside = (name: string) => `n1 T${school(name)} x0.0005 y0.0005`;

  test.each([
    ['a letter too many', 'Armistead Gardens Elementary', 'Armstead Gardens Elementary School'],
    ['a letter in each of two words', 'Armstead Garden School', 'Armistead Gardens School'],
    ['the last letter too many', 'Cooper Elementary', 'Coopers Elementary'],
  ])('is one where the node is inside the outline: %s', async (_, outline, node) => {
    const found = await destinations([...grounds(outline), inside(node)]);
    expect(found.map(({ source, name }) => [source, name])).toEqual([['way 1', outline]]);
  });

  test.each([
    ['by another letter', 'Mason Hill School', 'Jason Hill School'],
    ['by two letters', 'Armistead School', 'Armsted School'],
    ['by two letters that changed places', 'Armistead School', 'Armitsead School'],
    ['in a short word', 'Lake School', 'Lane School'],
    ['in a number', 'School 10012', 'School 10013'],
    ['in a word for the kind', 'Tennis School', 'Tenniss School'],
  ])('is two where they differ %s', async (_, outline, node) => {
    expect(await destinations([...grounds(outline), inside(node)])).toHaveLength(2);
  });

  test('is two where the node is beside the outline', async () => {
    const beside = `n1 T${school('Armistead School')} x0.0011 y0.0005`;
    expect(await destinations([...grounds('Armstead School'), beside])).toHaveLength(2);
  });

  test('is the one with the same name, even if another is nearer', async () => {
    const found = await destinations([
      ...grounds('Marion School'),
      ...square(20, 0.0012, 0, 0.001),
      `w2 T${school('Marian School')} N${ring(20)}`,
      `n1 T${school('Marian School')},addr:city=Elm x0.0009 y0.0005`,
    ]);
    expect(found.map(({ name, address }) => [name, address.city])).toEqual([
      ['Marion School', null],
      ['Marian School', 'Elm'],
    ]);
  });
});

describe('a campus', () => {
  // Square grounds of 333 m, with a house of 44 m, and a hall of 111 m that has its own sides.
  const grounds = square(10, 0, 0, 0.003);
  const house = square(20, 0.0005, 0.0005, 0.0004);
  const hall = square(30, 0.001, 0.001, 0.001);
  const drawn = (tags: Readonly<Record<number, string>>, ...nodes: string[]) =>
    destinations([
      ...grounds,
      ...house,
      ...hall,
      ...nodes,
      ...Object.entries(tags).map(([id, tag]) => `w${id} T${tag} N${ring(Number(id) * 10)}`),
    ]);
  const facts = (pois: readonly Destination[]) =>
    pois.map((poi) => [poi.source, poi.name, ...labels(poi)].join(', '));

  test.each(['hospital', 'school', 'college', 'university'])(
    'whose buildings and points have no name is one: a %s',
    async (kind) => {
      const tag = `amenity=${kind}`;
      const found = await drawn(
        { 1: `${tag},name=Elm`, 2: `${tag},building=yes`, 3: `${tag},building=yes` },
        `n1 T${tag} x0.002 y0.002`,
      );
      expect(found.map(({ source, name }) => [source, name])).toEqual([['way 1', 'Elm']]);
    },
  );

  test('without any name is one: the grounds', async () => {
    const tag = 'amenity=hospital';
    const found = await drawn({ 1: tag, 2: tag, 3: tag }, `n1 T${tag} x0.002 y0.002`);
    expect(facts(found)).toEqual(['way 1, Hospital, hospitals']);
  });

  test('with the name on a point or a building has the name, types and address of that one', async () => {
    const named = 'amenity=school,name=Elm%20%Elementary%20%School,addr:city=Elm';
    const [byNode, ...more] = await drawn({ 1: 'amenity=school' }, `n1 T${named} x0.002 y0.002`);
    const [byHall, ...others] = await drawn({ 1: 'amenity=school', 3: named });
    expect([...more, ...others]).toEqual([]);
    for (const school of [byNode, byHall]) {
      expect(facts([school])).toEqual(['way 1, Elm Elementary School, elementary_schools']);
      expect(school.address.city).toBe('Elm');
      expect(school.outline).toBeDefined();
    }
    const faith = 'n1 Tamenity=school,name=Elm%20%Christian%20%School x0.002 y0.002';
    expect(facts(await drawn({ 1: 'amenity=school' }, faith))).toEqual([
      'way 1, Elm Christian School, private_schools',
    ]);
  });

  test('of two institutions without a name of its own is these two', async () => {
    const found = await drawn(
      { 1: 'amenity=school' },
      'n1 Tamenity=school,name=Elm%20%High%20%School x0.002 y0.002',
      'n2 Tamenity=school,name=Oak%20%High%20%School x0.001 y0.001',
    );
    expect(found.map(({ name }) => name)).toEqual(['Elm High School', 'Oak High School']);
  });

  test.each([
    ['whose name is another', { 1: 'amenity=hospital,name=Elm', 3: 'amenity=hospital,name=Oak' }],
    ['of another kind', { 1: 'amenity=university,name=Elm', 3: 'amenity=hospital' }],
    [
      'with more than an institution',
      { 1: 'amenity=school,name=Elm', 3: 'amenity=school,shop=books' },
    ],
    ['that is a playground', { 1: 'leisure=playground,name=Elm', 3: 'leisure=playground' }],
    ['that is a pitch', { 1: 'leisure=pitch', 3: 'leisure=pitch' }],
    ['that is a park', { 1: 'leisure=park,name=Elm', 3: 'leisure=park' }],
  ])('does not include an outline inside it %s', async (_, tags) => {
    expect(await drawn(tags)).toHaveLength(2);
  });

  test('does not include an unnamed point beside it', async () => {
    const beside = 'n1 Tamenity=hospital x0.0031 y0.001';
    expect(await drawn({ 1: 'amenity=hospital,name=Elm' }, beside)).toHaveLength(2);
  });
});

describe('a large place', () => {
  const street = ['n1 T x-0.001 y0', 'n2 T x0.01 y0', 'w2 Thighway=residential Nn1,n2'];

  test.each([
    'leisure=nature_reserve',
    'leisure=golf_course',
    'amenity=university',
    'amenity=hospital',
    'shop=mall,building=yes',
  ])('has entrances along its sides, and an outline: %s', async (tags) => {
    const [place] = await destinations([
      ...square(10, 0, 0, 0.002),
      ...street,
      `w1 T${tags} N${ring(10)}`,
    ]);
    expect(entered(place)).toEqual(expect.arrayContaining(['0 0', '99 0', '197 0']));
    expect(place.outline).toHaveLength(1);
  });

  test('does not include a place the size of a house, which is entered at its point', async () => {
    const [place] = await destinations([
      ...square(10, 0, 0, 0.0004),
      ...street,
      `w1 Tamenity=library N${ring(10)}`,
    ]);
    expect(place.entrances).toEqual([{ lon: place.lon, lat: place.lat }]);
    expect(place.outline).toBeUndefined();
  });

  test('that is a building is entered at its mapped doors', async () => {
    const [place] = await destinations([
      ...square(10, 0, 0, 0.002).slice(0, 3),
      'n13 Tentrance=main x0 y0.002',
      ...street,
      `w1 Tshop=mall,building=retail N${ring(10)}`,
    ]);
    expect(place.entrances).toEqual([{ lon: 0, lat: 0.002 }]);
  });
});
