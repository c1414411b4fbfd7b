import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { labelOf, selectFeeds } from '../../builder/fetch/gtfs-catalogue.ts';
import type { BoundingBox } from '../../shards/units.ts';
import { COLUMNS } from './catalogue-file.ts';
import { scratchFolders } from './scratch-folders.ts';

const folder = scratchFolders();
const BALTIMORE: BoundingBox = { minLon: -76.72, minLat: 39.19, maxLon: -76.52, maxLat: 39.38 };
const IN = '39.2,39.4,-76.8,-76.5';

const row = (over: Partial<Record<string, string>>): string => {
  const values: Record<string, string | undefined> = {
    id: 'mdb-1',
    data_type: 'gtfs',
    'location.country_code': 'US',
    'location.subdivision_name': 'Maryland',
    provider: 'MTA',
    'urls.direct_download': `https://agency/${over.id}.zip`,
    'urls.latest': `https://mirror/${over.id}.zip`,
    box: IN,
    status: 'active',
    ...over,
  };
  const [minLat, maxLat, minLon, maxLon] = (values.box ?? '').split(',');
  values['location.bounding_box.minimum_latitude'] = minLat;
  values['location.bounding_box.maximum_latitude'] = maxLat;
  values['location.bounding_box.minimum_longitude'] = minLon;
  values['location.bounding_box.maximum_longitude'] = maxLon;
  return COLUMNS.map((column) => `"${(values[column] ?? '').replaceAll('"', '""')}"`).join(',');
};

async function select(...rows: string[]) {
  return selectText([COLUMNS.join(), ...rows].join('\r\n'));
}

async function selectText(text: string) {
  const file = path.join(folder(), 'catalogue.csv');
  writeFileSync(file, text);
  const { feeds, unused, remarks } = await selectFeeds(file, [BALTIMORE], ['Maryland']);
  return {
    feeds,
    remarks,
    unused: unused.map(({ feed, reason }) => `${labelOf(feed)}: ${reason}`),
  };
}

test('selects active feeds whose box meets a county, by ascending id', async () => {
  const { feeds, remarks } = await select(
    row({ id: 'mdb-3', name: 'Light rail, "fast"', box: '39.2,39.3,-76.7,-76.6' }),
    row({ id: 'mdb-2', status: '' }),
    row({ id: 'mdb-4', status: 'deprecated' }),
    row({ id: 'mdb-5', status: 'inactive' }),
    row({ id: 'mdb-6', data_type: 'gtfs_rt' }),
    row({ id: 'mdb-7', data_type: 'gbfs' }),
    row({ id: 'mdb-8', box: '39.2,39.4,-77.8,-76.73' }),
    row({ id: 'mdb-9', box: '-90,90,-180,180', 'location.country_code': 'FR' }),
  );
  expect(feeds).toEqual([
    {
      id: 'mdb-2',
      name: 'MTA',
      urls: ['https://mirror/mdb-2.zip', 'https://agency/mdb-2.zip'],
      licence: null,
    },
    {
      id: 'mdb-3',
      name: 'MTA, Light rail, "fast"',
      urls: ['https://mirror/mdb-3.zip', 'https://agency/mdb-3.zip'],
      licence: null,
    },
  ]);
  expect(remarks).toEqual([]);
});

test('names and skips a feed of any status but active, if it is there', async () => {
  const { feeds, unused } = await select(
    row({ id: 'mdb-1', provider: 'Test Flex', status: 'development' }),
    row({ id: 'mdb-2', provider: 'Next Year', status: 'future', box: ',,,' }),
    row({ id: 'mdb-3', provider: 'Elsewhere', status: 'future', box: '50,51,0,1' }),
    row({ id: 'mdb-4', provider: 'Other Word', status: 'Suspended' }),
    row({ id: 'mdb-5', provider: 'Old', status: 'Deprecated' }),
    row({ id: 'mdb-6', provider: 'Runs', status: 'Active' }),
  );
  expect(feeds.map(({ name }) => name)).toEqual(['Runs']);
  expect(unused).toEqual([
    'Test Flex (mdb-1): the catalogue lists it as development; to use it, give its URL with --gtfs',
    'Next Year (mdb-2): the catalogue lists it as future; to use it, give its URL with --gtfs',
    'Other Word (mdb-4): the catalogue lists it as suspended; to use it, give its URL with --gtfs',
  ]);
});

test('an address listed under several ids is one feed, with the addresses of all of them', async () => {
  const direct = 'https://agency/direct.zip';
  const { feeds, unused } = await select(
    row({ id: 'tld-4', provider: 'Line, Inc.', 'urls.direct_download': direct }),
    row({
      id: 'mdb-1',
      provider: 'Line',
      'urls.direct_download': 'http://AGENCY/direct.zip',
      'urls.latest': '',
    }),
    row({ id: 'tld-5', 'urls.direct_download': `${direct}#rail.zip`, 'urls.latest': '' }),
  );
  expect(feeds).toEqual([
    {
      id: 'mdb-1',
      name: 'Line',
      urls: ['http://AGENCY/direct.zip', 'https://mirror/tld-4.zip', direct],
      licence: null,
    },
    { id: 'tld-5', name: 'MTA', urls: [`${direct}#rail.zip`], licence: null },
  ]);
  expect(unused).toEqual([
    'Line, Inc. (tld-4): is the feed at the address of Line (mdb-1), which is used',
  ]);
});

test('feeds of one agency and area are all used, for the build finds what they have in common', async () => {
  const { feeds, remarks } = await select(
    row({ id: 'mdb-1', name: 'Subway' }),
    row({ id: 'mdb-2', name: 'Subway Supplemented' }),
  );
  expect(feeds.map(({ id }) => id)).toEqual(['mdb-1', 'mdb-2']);
  expect(remarks).toEqual([]);
});

test('counts the rows that cannot be read, and uses the others', async () => {
  const { feeds, remarks } = await select(
    row({ id: 'mdb-1' }),
    row({ id: 'mdb-2' }).replace('"MTA"', '"MTA "Line"'),
    `${row({ id: 'mdb-3' })},more`,
    row({ id: 'mdb-4', provider: 'Zürich Lines' }),
  );
  expect(feeds.map(({ id, name }) => [id, name])).toEqual([
    ['mdb-1', 'MTA'],
    ['mdb-4', 'Zürich Lines'],
  ]);
  expect(remarks).toEqual([
    expect.stringMatching(
      /catalogue\.csv: 2 rows cannot be read, first line 3: text after a closing quote$/,
    ),
  ]);
});

test('names and skips an agency that needs a key, unless there is a public copy', async () => {
  const { feeds, unused } = await select(
    row({ id: 'mdb-1', provider: 'WMATA', 'urls.authentication_type': '2' }),
    row({
      id: 'mdb-2',
      provider: 'Keyed Transit',
      'urls.authentication_type': '1',
      'urls.authentication_info': 'https://keyed.example/developers',
      'urls.latest': '',
    }),
  );
  expect(feeds.map(({ name, urls }) => [name, ...urls])).toEqual([
    ['WMATA', 'https://mirror/mdb-1.zip'],
  ]);
  expect(unused).toEqual([
    'Keyed Transit (mdb-2): needs a key, see https://keyed.example/developers; once you have one, give its URL with --gtfs',
  ]);
});

test('the licence of a feed is the one that the catalogue states, by any id of its address', async () => {
  const licence = 'https://agency.example/terms';
  const direct = 'https://agency.example/feed.zip';
  const { feeds } = await select(
    row({ id: 'mdb-1', 'urls.license': ` ${licence} ` }),
    row({ id: 'mdb-2' }),
    row({ id: 'mdb-3', 'urls.direct_download': direct }),
    row({ id: 'tld-3', 'urls.direct_download': direct, 'urls.license': licence }),
  );
  expect(feeds.map((feed) => [feed.id, feed.licence])).toEqual([
    ['mdb-1', licence],
    ['mdb-2', null],
    ['mdb-3', licence],
  ]);
});

test('reports a feed of the state without a box, but not one of another state', async () => {
  const { feeds, unused } = await select(
    row({ provider: 'Boxless', box: ',,,' }),
    row({ provider: 'Elsewhere', box: ',,,', 'location.subdivision_name': 'Ohio' }),
  );
  expect(feeds).toEqual([]);
  expect(unused).toEqual([
    expect.stringMatching(/^Boxless \(mdb-1\): the catalogue does not state/),
  ]);
});

test('reads the older sources.csv, too', async () => {
  const { feeds } = await selectText(
    [
      'mdb_source_id,data_type,entity_type,location.country_code,location.subdivision_name,location.municipality,provider,name,note,feed_contact_email,static_reference,urls.direct_download,urls.authentication_type,urls.authentication_info,urls.api_key_parameter_name,urls.latest,urls.license,location.bounding_box.minimum_latitude,location.bounding_box.maximum_latitude,location.bounding_box.minimum_longitude,location.bounding_box.maximum_longitude,location.bounding_box.extracted_on,status,features,redirect.id,redirect.comment',
      `247,gtfs,,US,Maryland,Baltimore,MTA,,,,,https://agency/a.zip,,,,https://mirror/a.zip,,${IN},2022-03-22T22:37:50+00:00,,,,`,
    ].join('\n'),
  );
  expect(feeds.map(({ id }) => id)).toEqual(['mdb-247']);
});

test('an id never contains a path, and names one feed, the first of the catalogue', async () => {
  const { feeds } = await select(row({ id: '../../etc/mdb.1' }));
  expect(feeds.map(({ id }) => id)).toEqual(['-etc-mdb-1']);
  const twice = await select(
    row({ provider: 'One' }),
    row({ provider: 'Other', 'urls.latest': 'https://b/z.zip' }),
  );
  expect(twice.feeds.map(({ name }) => name)).toEqual(['One']);
  expect(twice.unused).toEqual(['Other (mdb-1-2): has the id of One (mdb-1), which is used']);
});

test('says that a build has no transit if no feed is there', async () => {
  const { feeds, remarks } = await select(row({ box: '50,51,0,1' }));
  expect(feeds).toEqual([]);
  expect(remarks.join()).toMatch(/has no feed that can be used here, so a build has no transit/);
});

test('says that no licence is known if the catalogue has no column of them', async () => {
  const text = [COLUMNS.join(), row({})].join('\n').replace('urls.license', 'urls.licence');
  const { feeds, remarks } = await selectText(text);
  expect(feeds.map(({ licence }) => licence)).toEqual([null]);
  expect(remarks).toEqual([
    expect.stringMatching(/catalogue\.csv: has no column urls\.license, so no licence/),
  ]);
});

test('a feed without an id gets a name, and a catalogue without ids is refused', async () => {
  const { feeds } = await select(row({ id: '' }), row({ id: 'mdb-2' }));
  expect(feeds.map(({ id }) => id)).toEqual(['mdb-2', 'mdb-unnumbered']);
  const text = [COLUMNS.join(), row({})].join('\n').replace('id,', 'feed_id,');
  await expect(selectText(text)).rejects.toThrow('it has no column id; check --mobility-url');
});

test('refuses a file that is not a catalogue, naming the missing column', async () => {
  await expect(selectText('<html>moved</html>')).rejects.toThrow(
    /catalogue\.csv: is not the Mobility Database catalogue.* no column data_type; check --mobility-url/,
  );
});
