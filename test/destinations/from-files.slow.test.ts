import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { asyncBufferFromFile, parquetMetadataAsync } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Destination } from '../../builder/destinations/destination.ts';
import { TAXONOMY } from '../../builder/destinations/taxonomy.ts';
import { BuildError } from '../../builder/errors.ts';
import { readGeoJson } from '../../builder/inputs/geojson.ts';
import type { Progress } from '../../builder/progress.ts';
import { EVERYWHERE } from '../../shards/geometry/wgs84.ts';
import { Scratch } from '../osm/scratch.ts';
import { ensureDebianPackage } from '../support/debian.ts';
import { readPois } from '../support/prepared-city.ts';
import { boxRing, positions } from '../support/rings.ts';

const scratch = new Scratch();
const LABELS = new Map(TAXONOMY.map((entry) => [entry.dest_type_id, entry.label]));

beforeAll(() => ensureDebianPackage('gdal-bin', 'ogr2ogr'));

/** A feature of a custom list; members may be overridden. */
function listed(
  id: string | number,
  properties: object = {},
  coordinates: unknown = [-76.6, 39.3],
) {
  return {
    type: 'Feature',
    properties: { id, name: `Place ${id}`, type: 'libraries', ...properties },
    geometry: { type: 'Point', coordinates },
  };
}

/** A feature in Overture's schema; members may be overridden. */
function overture(id: string, properties: object = {}, coordinates: unknown = [-76.6, 39.3]) {
  return {
    type: 'Feature',
    id,
    properties: {
      id,
      theme: 'places',
      type: 'place',
      version: 1,
      confidence: 0.9,
      names: { primary: 'Café "Één", {Nr} [1]', common: null },
      categories: { primary: 'cafe', alternate: ['bakery', 'caterer'] },
      brand: { names: { primary: 'Eén' }, wikidata: null },
      addresses: [
        { freeform: '12 Main St', locality: 'Elm', postcode: '21201', region: 'MD', country: 'US' },
      ],
      ...properties,
    },
    geometry: { type: 'Point', coordinates },
  };
}

function geojson(name: string, features: readonly object[], head = {}): string {
  return write(name, JSON.stringify({ type: 'FeatureCollection', ...head, features }));
}

function write(name: string, text: string): string {
  return scratch.write(name, new TextEncoder().encode(text));
}

function ogr2ogr(source: string, name: string, ...options: string[]): string {
  const file = scratch.path(name);
  execFileSync('ogr2ogr', [...options, file, source]);
  return file;
}

/** Reads files, and keeps the notes. */
async function read(paths: readonly string[], area = EVERYWHERE) {
  const notes: string[] = [];
  const progress: Progress = {
    start: () => ({ at: () => {}, finish: () => {} }),
    note: (line) => notes.push(line),
  };
  return { places: await readPois(paths, area, progress), notes };
}

function labels({ types }: Destination): string[] {
  return types.map((type) => LABELS.get(type)!);
}

describe('a place of a custom list', () => {
  test('has the values of its properties', async () => {
    const file = geojson('own.geojson', [
      listed('a', {
        types: ['grocery_stores', 705],
        type: null,
        brand: 'B',
        street: '1 Elm St',
        city: 'Elm',
        state: 'md',
        zip: '21201',
      }),
    ]);
    const { places, notes } = await read([file]);
    expect(places).toHaveLength(1);
    expect(places[0]).toMatchObject({
      name: 'Place a',
      brand: 'B',
      source: 'listed POI a',
      types: [101, 705],
      lon: -76.6,
      lat: 39.3,
      entrances: [{ lon: -76.6, lat: 39.3 }],
      address: { street: '1 Elm St', city: 'Elm', state: 'MD', zip: '21201' },
    });
    expect(places[0].destId % 4).toBe(0);
    expect(notes).toEqual([]);
  });

  test('keeps its dest_id while its id stays, whatever else changes', async () => {
    const before = await read([geojson('before.geojson', [listed(7), listed('x')])]);
    const after = await read([
      geojson('after.geojson', [
        listed('x', { type: 'cafes' }, [1, 1]),
        listed('7', { name: 'N' }),
      ]),
    ]);
    expect(after.places.map((p) => p.destId)).toEqual(before.places.map((p) => p.destId));
  });

  test('drawn as polygons gets a point inside the largest', async () => {
    // A letter U, whose centre is outside it, and a small square.
    const arms = '0.03 0.03, 0.02 0.03, 0.02 0.01, 0.01 0.01, 0.01 0.03, 0 0.03';
    const u = positions(`0 0, 0.03 0, ${arms}, 0 0`);
    const square = [boxRing(1, 1, 1.001, 1.001)];
    const file = geojson('polygons.geojson', [
      { ...listed(1), geometry: { type: 'MultiPolygon', coordinates: [square, [u]] } },
    ]);
    const [{ lon, lat }] = (await read([file])).places;
    expect(lat).toBeLessThan(0.03);
    expect(lon < 0.01 || lon > 0.02 || lat < 0.01).toBe(true);
  });

  test('may come from spreadsheets and GDAL: several types in one text, a ZIP code as a number', async () => {
    const file = geojson('texts.geojson', [
      listed('a', { type: 'cafes; bakeries', zip: 2134 }),
      listed('b', { type: undefined, types: ['cafes', 'bakeries'] }, [-76, 39]),
    ]);
    const rewritten = ogr2ogr(file, 'texts-2.geojson');
    for (const { places } of [await read([file]), await read([rewritten])]) {
      expect(places.map(labels)).toEqual(Array(2).fill(['bakeries', 'cafes']));
      expect(places.map(({ address }) => address.zip).sort()).toEqual(['02134', null]);
    }
  });

  const wrong: [problem: string, feature: object, says: RegExp][] = [
    ['no id', listed(1, { id: null }), /feature 2: has no "id"/],
    ['no type', listed(1, { type: '' }), /feature 2 \(id 1\): has no "type"/],
    ['an unknown type', listed(1, { type: 'grocers' }), /id 1\): type "grocers" is not in the tax/],
    ['a group as its type', listed(1, { type: 'public_schools' }), /one of elementary_schools,/],
    ['no coordinates', { ...listed(1), geometry: null }, /id 1\): its geometry is not a Point/],
    [
      'coordinates out of range',
      listed(1, {}, [39.3, -176.6]),
      /id 1\): its geometry is not a Point/,
    ],
    [
      'coordinates that are texts',
      listed(1, {}, ['1', '2']),
      /id 1\): its geometry is not a Point/,
    ],
    ['a name that is none', listed(1, { name: ['a'] }), /id 1\): "name": /],
    ['the id of another', listed(0), /feature 1 \(id 0\) and .*2 \(id 0\) both have dest_id/],
  ];
  test.each(wrong)('fails the build with %s, by name', async (_, feature, says) => {
    const reading = read([geojson('wrong.geojson', [listed(0), feature])]);
    await expect(reading).rejects.toThrow(says);
    await expect(reading).rejects.toThrow(BuildError);
    await expect(reading).rejects.toThrow('wrong.geojson');
  });
});

describe('a place of Overture', () => {
  const expected = {
    name: 'Café "Één", {Nr} [1]',
    brand: 'Eén',
    source: 'Overture place 08f-1',
    types: [104, 202],
    lon: -76.6,
    lat: 39.3,
    address: { street: '12 Main St', city: 'Elm', state: 'MD', zip: '21201' },
  };

  test('is read from GeoJSON, as Overture and as GDAL write it', async () => {
    const file = geojson('overture.geojson', [overture('08f-1')]);
    const files = [
      file,
      ogr2ogr(file, 'by-gdal.geojson'),
      ogr2ogr(ogr2ogr(file, 'overture.gpkg'), 'by-gdal-twice.geojson'),
      ogr2ogr(file, 'lines.geojsonl', '-f', 'GeoJSONSeq'),
      ogr2ogr(file, 'records.geojsons', '-f', 'GeoJSONSeq', '-lco', 'RS=YES'),
    ];
    for (const path of files) {
      const { places, notes } = await read([path]);
      expect(places, path).toHaveLength(1);
      expect(places[0], path).toMatchObject(expected);
      expect(notes).toEqual([]);
    }
  });

  test('is read with its nested members as JSON text, as tables hold them', async () => {
    const { properties, ...feature } = overture('08f-1');
    const texts = Object.entries(properties).map(([key, value]) => [
      key,
      typeof value === 'object' ? JSON.stringify(value) : value,
    ]);
    const file = geojson('as-text.geojson', [
      { ...feature, properties: Object.fromEntries(texts) },
    ]);
    expect((await read([file])).places[0]).toMatchObject(expected);
  });

  test('is read with its members flattened, as GDAL reads GeoParquet', async () => {
    const { geometry } = overture('');
    const properties = {
      id: '08f-1',
      'names.primary': 'Café "Één", {Nr} [1]',
      'brand.names.primary': 'Eén',
      'categories.primary': 'cafe',
      'categories.alternate': ['bakery'],
      addresses: JSON.stringify(overture('').properties.addresses),
    };
    const { places } = await read([
      geojson('flat.geojson', [{ type: 'Feature', properties, geometry }]),
    ]);
    expect(places[0]).toMatchObject(expected);
  });

  test('gets the types of its taxonomy when there are no categories', async () => {
    const categorised = (id: string, lon: number, taxonomy: object, basic_category: string) =>
      overture(id, { categories: undefined, taxonomy, basic_category }, [lon, 0]);
    const { places, notes } = await read([
      geojson('taxonomy.geojson', [
        categorised('1', 1, { primary: 'ramen_restaurant', alternates: ['bar'] }, 'restaurant'),
        categorised('2', 2, { primary: 'orthodontics', hierarchy: ['health'] }, 'dental_clinic'),
        categorised('3', 3, { primary: 'swimming_instructor' }, 'swimming_pool'),
        categorised('4', 4, { primary: 'fast_food_restaurant' }, 'restaurant'),
        categorised('5', 5, { primary: 'gas_station', alternates: ['convenience_store'] }, 'shop'),
      ]),
    ]);
    const byLon = places.sort((a, b) => a.lon - b.lon);
    expect(byLon.map(labels)).toEqual([
      ['restaurants', 'bars_and_pubs'],
      ['dentists'],
      ['fast_food'],
      ['convenience_stores'],
    ]);
    expect(notes).toHaveLength(1);
    expect(notes[0]).toMatch(/1 in 1 category without a type \(swimming_instructor 1\)$/);
  });

  test('without a category is counted, in whatever form its schema is recognized', async () => {
    const without = { categories: undefined };
    const grocery = { primary: 'grocery_store', hierarchy: ['shopping', 'grocery_store'] };
    const file = geojson('without-category.geojson', [
      overture('1', without),
      overture('2', { ...without, type: undefined }),
      overture('3', { ...without, names: undefined }),
      overture('4', { categories: null, taxonomy: null, basic_category: null }),
      overture('5', { ...without, taxonomy: grocery }, [1, 0]),
      listed(6, { type: 'libraries', names: { primary: 'Elm' }, categories: ['x'] }, [2, 0]),
    ]);
    const { places, notes } = await read([file]);
    expect(places.flatMap(labels).sort()).toEqual(['grocery_stores', 'libraries']);
    expect(notes).toEqual([`${file}: left out 4 without a category`]);
  });

  test('of a type that none of thousands has is missed in a warning', async () => {
    const common = `restaurant beauty_salon clothing_store cafe bar christian_place_of_worship
      grocery_store doctors_office bank dental_clinic gym fast_food_restaurant pharmacy bakery
      convenience_store hospital elementary_school department_store hardware_store atm
      butcher_shop`.split(/\s+/);
    const town = (count: number, categories: readonly string[]) =>
      Array.from({ length: count }, (_, i) => {
        const taxonomy = { primary: categories[i % categories.length] };
        return overture(`p${i}`, { categories: undefined, taxonomy }, [i / 100, 0]);
      });
    const warnings = async (features: readonly object[], area = EVERYWHERE) => {
      const { notes } = await read([geojson('town.geojson', features)], area);
      return notes.filter((note) => note.startsWith('WARNING: '));
    };
    const [warning, ...more] = await warnings(town(5_000, [...common, 'glasses']));
    expect(warning).toMatch(
      /town.geojson: none of its 5,000 places of Overture is of type optometrists; /,
    );
    expect(more).toEqual([]);
    expect(await warnings(town(5_000, [...common, 'optometry']))).toEqual([]);
    expect(await warnings(town(4_900, [...common, 'glasses']))).toEqual([]);
    // Places elsewhere do not count.
    const area = { minLon: -1, minLat: -1, maxLon: 10, maxLat: 1 };
    expect(await warnings(town(5_000, ['glasses']), area)).toEqual([]);
    expect((await warnings(town(2_000, ['glasses'])))[0]).toContain('restaurants, ');
  });

  test('that is just a school is classified by name, like OpenStreetMap’s', async () => {
    const names = [
      'Elm Street Elementary School',
      'Elm University',
      'Tae Kwon Do Academy',
      'Saint Mary’s School',
      'The Elm School',
    ];
    const file = geojson(
      'schools.geojson',
      names.map((primary, i) =>
        overture(`s${i}`, { names: { primary }, categories: { primary: 'school' } }, [i, 0]),
      ),
    );
    const { places } = await read([file]);
    const reported = new Map(places.map((place) => [place.name, labels(place)]));
    expect(names.map((name) => reported.get(name))).toEqual([
      ['elementary_schools'],
      ['universities'],
      undefined,
      ['private_schools'],
      ['schools_level_unknown'],
    ]);
  });

  test('gets its alternate categories only where they are certain, and close to the primary one', async () => {
    const besides = (id: string, lon: number, primary: string, alternate: string[], more = {}) =>
      overture(id, { categories: { primary, alternate }, ...more }, [lon, 0]);
    const { places } = await read([
      geojson('besides.geojson', [
        besides('1', 1, 'cafe', ['bakery', 'church_cathedral']),
        besides('2', 2, 'cafe', ['bakery'], { confidence: 0.7 }),
        besides('3', 3, 'church_cathedral', ['elementary_school', 'preschool']),
        besides('4', 4, 'gas_station', ['car_wash', 'convenience_store', 'atms']),
        besides('5', 5, 'gas_station', ['convenience_store'], { confidence: 0.7 }),
      ]),
    ]);
    expect(places.sort((a, b) => a.lon - b.lon).map(labels)).toEqual([
      ['bakeries', 'cafes'],
      ['cafes'],
      ['churches'],
      ['convenience_stores'],
    ]);
  });

  test('that Overture lists twice is one, the one with higher confidence', async () => {
    const at = (street: string | null) => ({ addresses: [{ freeform: street, region: 'US-MD' }] });
    const named = (id: string, primary: string, confidence: number, lon: number, more = {}) =>
      overture(id, { names: { primary }, confidence, ...more }, [lon, 0]);
    const branded = { brand: { names: { primary: 'Elm' } } };
    const { places, notes } = await read([
      geojson('double.geojson', [
        named('1', 'Elm Cafe', 0.6, 0, { ...at('12 Main St'), ...branded }),
        named('2', 'Elm Café LLC', 0.9, 0.0005, { ...at('12 Main Street'), brand: null }),
        // Next door, further away, and with a different name.
        named('3', 'Elm Cafe', 0.8, 0.0003, at('14 Main St')),
        named('4', 'Elm Cafe', 0.8, 0.002, at('12 Main St')),
        named('5', 'Oak Cafe', 0.8, 0, at('12 Main St')),
      ]),
    ]);
    expect(places.map(({ source }) => source).sort()).toEqual(
      ['2', '3', '4', '5'].map((id) => `Overture place ${id}`),
    );
    expect(places.find(({ name }) => name.endsWith('LLC'))?.brand).toBe('Elm');
    expect(notes).toEqual([]);
  });

  test('that is closed, doubtful, unusable or without a type is left out, counted and noted', async () => {
    const file = geojson('dropped.geojson', [
      overture('1', { operating_status: 'permanently_closed' }),
      overture('2', { operating_status: 'temporarily_closed', confidence: 0.1 }),
      overture('2-1', { names: { primary: 'Elm Café (Permanently Closed)' } }),
      overture('3', { confidence: 0.49 }),
      overture('3b', { confidence: { toString: 1 } }),
      overture('4', { id: null }, ['x']),
      ...['law_firm', 'park', 'law_firm'].map((primary, i) =>
        overture(`5-${i}`, { categories: { primary, alternate: null } }),
      ),
      overture('6', { operating_status: 'open', confidence: null }),
    ]);
    const { places, notes } = await read([file]);
    expect(places.map(({ source }) => source)).toEqual(['Overture place 6']);
    expect(notes).toEqual([
      `${file}: left out 3 closed; 2 with low confidence; 1 without id or point; 3 in 2 categories without a type (law_firm 2, park 1)`,
    ]);
  });

  test('in two overlapping extracts is one place, and the place of a custom list that has it', async () => {
    const first = geojson('first.geojson', [overture('1'), overture('2', {}, [1, 1])]);
    const second = geojson('second.geojson', [
      overture('2', { names: { primary: 'Other' } }, [1, 1]),
      overture('3', {}, [2, 2]),
    ]);
    const own = geojson('mine.geojson', [
      listed(1, { name: 'Cafe Een Nr 1', type: 'cafes', city: 'Oak' }, [2.0005, 2]),
    ]);
    const { places } = await read([first, second, own]);
    expect(await read([own, second, first])).toEqual({ places, notes: [] });
    const sources = ['Overture place 1', 'Overture place 2', 'listed POI 1'];
    expect(places.map(({ source }) => source).sort()).toEqual(sources.sort());
    const mine = places.find(({ source }) => source === 'listed POI 1');
    expect(mine?.address).toMatchObject({ city: 'Oak', street: '12 Main St' });
    expect(places.map((p) => p.destId)).toEqual(places.map((p) => p.destId).sort((a, b) => a - b));
  });
});

test('a list of which no place is in the area is warned of; of places, some may be elsewhere', async () => {
  const area = { minLon: -77, minLat: 39, maxLon: -76, maxLat: 40 };
  const swapped = [39.3, -76.6];
  const lists: [name: string, inside: object, outside: object[]][] = [
    ['own', listed(0), [listed(1, {}, swapped), listed(2, {}, [-78, 39.5])]],
    ['overture', overture('0'), [overture('1', {}, swapped), overture('2', {}, [-76.5, 41])]],
  ];
  for (const [name, inside, outside] of lists) {
    const file = geojson(`${name}-elsewhere.geojson`, outside);
    expect(await read([file], area)).toEqual({
      places: [],
      notes: [
        `WARNING: ${file}: none of its 2 places is in the area of the blocks; check its coordinates (longitude first)`,
      ],
    });
    const some = await read([geojson(`${name}.geojson`, [inside, ...outside])], area);
    expect([some.places.length, some.notes]).toEqual([1, []]);
  }
  expect((await read([geojson('empty.geojson', [])], area)).notes).toEqual([]);
});

describe('a GeoJSON file', () => {
  const features = Array.from({ length: 40 }, (_, i) =>
    listed(i, { name: '}]"\\ {[ é 💧', nested: { a: [{ b: '\\' }] } }, [i, 0]),
  );

  test('larger than its reader’s buffer is read whole, wherever the buffer ends', async () => {
    // Lengths vary, so that buffers end everywhere: within strings, escapes and characters.
    const padded = Array.from({ length: 3_000 }, (_, i) =>
      listed(i, { name: 'é"\\}'.repeat(150 + (i % 37)) }, [0, 0]),
    );
    const ids: unknown[] = [];
    for await (const record of readGeoJson(geojson('large.geojson', padded))) {
      expect(record.properties).toEqual(padded[ids.length].properties);
      ids.push(record.properties.id);
    }
    expect(ids).toEqual(padded.map((_, i) => i));
  });

  test('may be a collection with extra members, features by line, or a single feature', async () => {
    const pretty = JSON.stringify(
      {
        bbox: [0, 0, 1, 1],
        type: 'FeatureCollection',
        features,
        extra: { features: [{ a: [{}] }] },
      },
      null,
      2,
    );
    const lines = features.map((feature) => JSON.stringify(feature)).join('\r\n');
    const texts: [string, number][] = [
      [pretty, 40],
      [`\uFEFF${pretty}\n`, 40],
      [`${lines}\n`, 40],
      [JSON.stringify({ ...features[0], bbox: [0, 0, 0, 0] }), 1],
      ['{"type":"FeatureCollection","features":[]}', 0],
    ];
    for (const [i, [text, count]] of texts.entries()) {
      const { places } = await read([write(`shape-${i}.geojson`, text)]);
      expect(places, text.slice(0, 60)).toHaveLength(count);
    }
  });

  test.each([
    'EPSG:4326',
    'EPSG:4269',
    'urn:ogc:def:crs:OGC:1.3:CRS84',
    'http://www.opengis.net/def/crs/OGC/1.3/CRS84',
    'urn:ogc:def:crs:EPSG::4326',
  ])('in %s is read, wherever it says so', async (name) => {
    const crs = { type: 'name', properties: { name } };
    for (const members of [
      { crs, features },
      { features, crs },
    ]) {
      const text = JSON.stringify({ type: 'FeatureCollection', ...members });
      expect((await read([write('crs.geojson', text)])).places).toHaveLength(40);
    }
  });

  test('is read in UTF-8, UTF-16, and Windows-1252, which is noted', async () => {
    const names = ['Cañon', '“CAFÉ” €5', 'plain'];
    const text = JSON.stringify({
      type: 'FeatureCollection',
      features: names.map((name, i) => listed(i, { name }, [i, 0])),
    });
    const windows = Buffer.from(
      text.replaceAll(/[“”€]/g, (sign) => ({ '“': '\x93', '”': '\x94', '€': '\x80' })[sign]!),
      'latin1',
    );
    const utf16 = Buffer.from(`\ufeff${text}`, 'utf16le');
    for (const [bytes, notes] of [
      [Buffer.from(text), []],
      [Buffer.from(utf16), []],
      [Buffer.from(utf16).swap16(), []],
      [windows, [expect.stringMatching(/: 2 × a feature with text that is not UTF-8; read as W/)]],
    ] as const) {
      const noted: string[] = [];
      const found: unknown[] = [];
      const file = scratch.write('encoded.geojson', bytes);
      for await (const { properties } of readGeoJson(file, undefined, (line) => noted.push(line))) {
        found.push(properties.name);
      }
      expect([found, noted]).toEqual([names, notes]);
    }
  });

  const metres = { type: 'name', properties: { name: 'urn:ogc:def:crs:EPSG::26985' } };
  const collection = JSON.stringify({ type: 'FeatureCollection', features });
  const broken: [problem: string, text: string | Uint8Array, says: RegExp][] = [
    [
      'is cut short',
      collection.slice(0, -100),
      /the file is truncated, or a bracket is missing, after feat/,
    ],
    ['is cut short between features', collection.slice(0, -2), /the file is truncated/],
    ['is empty', '', /contains no GeoJSON/],
    ['is CSV', 'id,name,lat,lon\n1,"a",2,3\n', /contains no GeoJSON/],
    ['is other JSON', '{"type":"Topology","objects":{}}', /feature 1: its "type" is "Topology"/],
    [
      'has a feature that is not JSON',
      collection.replace('"id":3,', '"id":3 3,'),
      /feature 4: is not J/,
    ],
    [
      'is projected',
      JSON.stringify({ type: 'FeatureCollection', crs: metres, features }),
      /its coordinates are in urn:ogc:def:crs:EPSG::26985; write them in longitude/,
    ],
    [
      'says so after its features',
      JSON.stringify({ type: 'FeatureCollection', features, name: 'x', crs: metres }),
      /its coordinates are in urn:ogc:def:crs:EPSG::26985; write them in longitude/,
    ],
    [
      'is projected by feature',
      JSON.stringify({ ...features[0], crs: metres }),
      /feature 1: its coordinates are in urn:ogc:def:crs:EPSG::26985/,
    ],
    [
      'does not name its reference system',
      JSON.stringify({ type: 'FeatureCollection', features, crs: { type: 'link' } }),
      /its coordinates are in an unknown reference system/,
    ],
  ];
  test.each(broken)('that %s is refused by name', async (_, text, says) => {
    const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
    const reading = read([scratch.write('broken.geojson', bytes)]);
    await expect(reading).rejects.toThrow(says);
    await expect(reading).rejects.toThrow(BuildError);
  });

  test('that does not exist is reported as such', async () => {
    await expect(read([scratch.path('none.geojson')])).rejects.toThrow(
      /none.geojson: no such file/,
    );
  });
});

describe('a GeoParquet file', () => {
  /** Little-endian WKB of a point. */
  function wkb([lon, lat]: readonly number[]): Uint8Array {
    const bytes = new DataView(new ArrayBuffer(21));
    bytes.setUint8(0, 1);
    bytes.setUint32(1, 1, true);
    bytes.setFloat64(5, lon, true);
    bytes.setFloat64(13, lat, true);
    return new Uint8Array(bytes.buffer);
  }

  const GEO = {
    version: '1.1.0',
    primary_column: 'geometry',
    columns: { geometry: { encoding: 'WKB' } },
  };

  const axes = (unit: string) => ({ subtype: 'x', axis: [{ unit }, { unit }] });
  const DEGREES = {
    type: 'GeographicCRS',
    name: 'WGS 84',
    datum_ensemble: { name: 'World Geodetic System 1984 ensemble' },
    coordinate_system: axes('degree'),
  };
  const UTM = {
    type: 'ProjectedCRS',
    name: 'WGS 84 / UTM zone 14N',
    base_crs: DEGREES,
    coordinate_system: axes('kilometre'),
  };
  const crsOf = (crs: unknown) => ({ columns: { geometry: { encoding: 'WKB', crs } } });

  const METRES = { encoding: 'WKB', crs: { id: { authority: 'EPSG', code: 26985 } } };

  /** Writes features in Overture's schema as Overture does: nested columns, bounds of each row. */
  function parquet(
    name: string,
    features: readonly ReturnType<typeof overture>[],
    geo: object | null = GEO,
    rowGroupSize = 10,
  ): string {
    const column = (name: string) => ({
      data: features.map(({ properties }) => (properties as Record<string, unknown>)[name] ?? null),
      name,
    });
    const at = features.map(({ geometry }) => geometry.coordinates as readonly number[]);
    const optional = { repetition_type: 'OPTIONAL' } as const;
    const leaf = (name: string) =>
      ({ name, type: 'BYTE_ARRAY', converted_type: 'UTF8', ...optional }) as const;
    const group = (name: string, num_children: number) => ({ name, num_children, ...optional });
    const listOf = (name: string) => [
      { ...group(name, 1), converted_type: 'LIST' } as const,
      { name: 'list', num_children: 1, repetition_type: 'REPEATED' } as const,
    ];
    const side = (name: string) => ({ name, type: 'FLOAT', ...optional }) as const;
    const buffer = parquetWriteBuffer({
      rowGroupSize,
      kvMetadata: geo ? [{ key: 'geo', value: JSON.stringify(geo) }] : [],
      schema: [
        { name: 'root', num_children: 8 },
        leaf('id'),
        { name: 'geometry', type: 'BYTE_ARRAY', ...optional },
        group('bbox', 4),
        side('xmin'),
        side('xmax'),
        side('ymin'),
        side('ymax'),
        { name: 'confidence', type: 'DOUBLE', ...optional },
        group('names', 1),
        leaf('primary'),
        group('categories', 2),
        leaf('primary'),
        ...listOf('alternate'),
        leaf('element'),
        group('brand', 1),
        group('names', 1),
        leaf('primary'),
        ...listOf('addresses'),
        group('element', 4),
        ...['freeform', 'locality', 'postcode', 'region'].map(leaf),
      ],
      columnData: [
        column('id'),
        { name: 'geometry', data: at.map(wkb) },
        { name: 'bbox', data: at.map(([x, y]) => ({ xmin: x, xmax: x, ymin: y, ymax: y })) },
        ...['confidence', 'names', 'categories', 'brand', 'addresses'].map(column),
      ],
    });
    return scratch.write(name, new Uint8Array(buffer));
  }

  test('returns what GeoJSON of the same places returns', async () => {
    const features = Array.from({ length: 95 }, (_, i) =>
      overture(`p${i}`, i % 3 ? {} : { brand: null, addresses: null }, [-76 - i / 100, 39]),
    );
    const { places } = await read([geojson('same.geojson', features)]);
    expect(places).toHaveLength(95);
    expect(await read([parquet('same.parquet', features)])).toEqual({ places, notes: [] });
  });

  test('may be a custom list', async () => {
    const buffer = parquetWriteBuffer({
      kvMetadata: [{ key: 'geo', value: JSON.stringify(GEO) }],
      columnData: [
        { name: 'id', data: [7n, 8n], type: 'INT64' },
        { name: 'type', data: ['cafes', 'libraries'], type: 'STRING' },
        { name: 'zip', data: [2134, null], type: 'INT32' },
        { name: 'geometry', data: [wkb([1, 2]), wkb([3, 4])], type: 'BYTE_ARRAY' },
      ],
    });
    const file = scratch.write('own.parquet', new Uint8Array(buffer));
    const own = geojson('own-as-parquet.geojson', [
      listed(7, { type: 'cafes', zip: '02134', name: null }, [1, 2]),
      listed(8, { name: null }, [3, 4]),
    ]);
    expect((await read([file])).places).toEqual((await read([own])).places);
    await expect(read([file, own])).rejects.toThrow(/own.parquet: row . \(id .\) and .*feature/);
  });

  test('may be packed by LZ4, also with a column of nulls, whose pages are empty', async () => {
    // Blocks of LZ4 that repeat nothing: the number of bytes, if over 14 in further bytes too.
    const pack = (bytes: Uint8Array) => {
      const more = bytes.length - 15;
      const head =
        more < 0
          ? [bytes.length << 4]
          : [0xf0, ...Array(Math.floor(more / 255)).fill(255), more % 255];
      return Uint8Array.from([...head, ...bytes]);
    };
    const buffer = parquetWriteBuffer({
      codec: 'LZ4_RAW',
      compressors: { LZ4_RAW: pack },
      kvMetadata: [{ key: 'geo', value: JSON.stringify(GEO) }],
      columnData: [
        { name: 'id', data: ['a', 'b'], type: 'STRING' },
        { name: 'type', data: ['cafes', 'libraries'], type: 'STRING' },
        { name: 'brand', data: [null, null], type: 'STRING' },
        { name: 'geometry', data: [wkb([1, 2]), wkb([3, 4])], type: 'BYTE_ARRAY' },
      ],
    });
    const { places } = await read([scratch.write('lz4.parquet', new Uint8Array(buffer))]);
    expect(places.flatMap(({ types }) => types).sort()).toEqual([202, 601]);
  });

  test('returns the places of the area, and skips the row groups of other areas', async () => {
    const features = Array.from({ length: 100 }, (_, i) => overture(`p${i}`, {}, [i, 0]));
    const file = parquet('spread.parquet', features);
    const area = { minLon: 41.5, minLat: -1, maxLon: 44.5, maxLat: 1 };
    const whole = (await read([file], area)).places;
    // The row groups before that of the area are corrupted, so that reading any would fail.
    const bytes = readFileSync(file);
    const { row_groups } = await parquetMetadataAsync(await asyncBufferFromFile(file));
    const start = Number(row_groups[4].columns[0].meta_data!.data_page_offset);
    bytes.fill(0, 4, start - 1000);
    const damaged = scratch.write('spread-damaged.parquet', bytes);
    expect((await read([damaged], area)).places).toEqual(whole);
    await expect(read([damaged])).rejects.toThrow(/not a complete Parquet file/);
    expect(whole.map(({ lon }) => lon).sort()).toEqual([42, 43, 44]);
    // Rows that are skipped are places of the file too.
    const beyond = { ...area, minLon: 150, maxLon: 151 };
    expect((await read([file], beyond)).notes).toEqual([
      `WARNING: ${file}: none of its 100 places is in the area of the blocks; check its coordinates (longitude first)`,
    ]);
    expect((await read([file], area)).notes).toEqual([]);
  });

  test.each([
    ['without GeoParquet’s metadata', null, /without GeoParquet metadata/],
    ['with another encoding', { columns: { geometry: { encoding: 'point' } } }, /as point; exp/],
    ['that is projected', { columns: { geometry: METRES } }, /its coordinates are in EPSG:26985/],
    [
      'that is projected, without an id',
      crsOf(UTM),
      /are in WGS 84 \/ UTM zone 14N; write them in/,
    ],
    [
      'on another datum',
      crsOf({ ...DEGREES, name: 'NAD27', datum: { name: 'NAD27' } }),
      /are in NAD27;/,
    ],
    ['in radians', crsOf({ ...DEGREES, coordinate_system: axes('radian') }), /are in WGS 84;/],
    ['in an unknown system', crsOf(null), /are in an unknown reference system/],
  ])('%s is refused by name', async (_, geo, says) => {
    await expect(read([parquet('refused.parquet', [overture('1')], geo)])).rejects.toThrow(says);
  });

  test.each([
    ['WGS 84 without an id', DEGREES],
    ['NAD83', { ...DEGREES, name: 'NAD83', datum: { name: 'North American Datum 1983' } }],
    ['an id alone', { id: { authority: 'EPSG', code: 4269 } }],
  ])('in %s is read', async (_, crs) => {
    const file = parquet('degrees.parquet', [overture('1')], crsOf(crs));
    expect((await read([file])).places).toHaveLength(1);
  });

  test('that is truncated is refused by name', async () => {
    const bytes = readFileSync(parquet('cut.parquet', [overture('1')]));
    const cut = scratch.write('cut.parquet', bytes.subarray(0, -20));
    await expect(read([cut])).rejects.toThrow(/cut.parquet: not a complete Parquet file/);
  });
});
