import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Command } from 'commander';
import { expect, test } from 'vitest';
import { type InputList, readInputList } from '../../builder/fetch/fetch-folder.ts';
import { folderNameOf, readArea } from '../../infra/cli/area-options.ts';
import { buildCommand } from '../../infra/cli/commands/fetch.ts';
import { addInputs, type InputFlags, readInputs } from '../../infra/cli/input-options.ts';
import { readStartArguments } from '../../infra/own-area.ts';
import { scratchFolders } from './scratch-folders.ts';

const folder = scratchFolders();
const LIST: InputList = {
  counties: ['24510'],
  bike_speed_kmh: 20,
  osm: ['osm/maryland-latest.osm.pbf'],
  blocks: ['blocks/md.zip'],
  places: [],
  pois: ['pois/overture-00000.parquet'],
  weights: [],
  addresses: [],
  gtfs: [
    { file: 'gtfs/a.zip', publisher: 'A', licence: 'https://a.example/terms' },
    { file: 'gtfs/b.zip', publisher: '', licence: null },
  ],
  gtfs_left_out: [
    {
      file: 'c.zip',
      sha256: null,
      publisher: 'C',
      trips: null,
      reason: 'not found',
      is_lost: true,
    },
  ],
};

/** A folder with a list of inputs. */
function folderWith(inputs: unknown): string {
  const at = folder();
  writeFileSync(path.join(at, 'sources.json'), JSON.stringify({ inputs, files: {} }));
  return at;
}

const parsed = (...args: string[]) =>
  readInputs(addInputs(new Command()).parse(args, { from: 'user' }).opts<InputFlags>());

test('a folder of inputs stands for its files, counties and licences, and flags add to it', async () => {
  const at = folderWith(LIST);
  const [a, b] = LIST.gtfs.map(({ file }) => path.join(at, file));
  expect(await parsed('--inputs', at)).toMatchObject({
    osm: [path.join(at, 'osm/maryland-latest.osm.pbf')],
    blocks: [path.join(at, 'blocks/md.zip')],
    gtfs: [a, b],
    places: [],
    pois: [path.join(at, 'pois/overture-00000.parquet')],
    counties: ['24510'],
    leaveOutUnlicensed: false,
    catalogued: new Map([
      [a, { publisher: 'A', licence: 'https://a.example/terms' }],
      [b, { publisher: '', licence: null }],
    ]),
    notFetched: LIST.gtfs_left_out,
  });
  const more = ['--gtfs', 'own.zip', '--elevation', 'hills.tif', '--counties', '24005,24510'];
  const choice = ['--feeds-without-licence', 'leave-out'];
  expect(await parsed('--inputs', at, ...more, ...choice)).toMatchObject({
    gtfs: [a, b, 'own.zip'],
    elevation: ['hills.tif'],
    counties: ['24005', '24510'],
    leaveOutUnlicensed: true,
  });
});

test('a folder that does not suffice for a build is refused with what to do', async () => {
  await expect(readInputList(folder())).rejects.toThrow(
    /holds no complete download; check the path, or run the tta fetch or tta demo of this folder again$/,
  );
  await expect(readInputList(folderWith({ ...LIST, osm: [] }))).rejects.toThrow(
    /holds no streets or no blocks; .* again, without --only$/,
  );
  for (const file of ['../../etc/passwd', '/etc/passwd', 'osm/../../x']) {
    await expect(readInputList(folderWith({ ...LIST, osm: [file] }))).rejects.toThrow(
      /sources\.json: was not written by fetch/,
    );
  }
  await expect(parsed('--osm', 'a.pbf')).rejects.toThrow('give --inputs, or both --osm and');
  const walk = folderWith({ ...LIST, gtfs: [] });
  await expect(parsed('--inputs', walk, '--service-date', '2026-03-03')).rejects.toThrow(
    '--service-date: applies only to transit feeds',
  );
});

test('a build by faster bicycles than the folder was fetched for is refused with what to do', async () => {
  const at = folderWith(LIST);
  expect(await parsed('--inputs', at, '--bike-speed', '20')).toMatchObject({
    routing: { bike_speed_kmh: 20 },
  });
  await expect(parsed('--inputs', at, '--bike-speed', '25')).rejects.toThrow(
    /reach as far as 20 km\/h; run the tta fetch command .*, with --bike-speed 25$/,
  );
  const { bike_speed_kmh: _, ...older } = LIST;
  await expect(parsed('--inputs', folderWith(older), '--bike-speed', '25')).rejects.toThrow(
    /reach as far as \d+ km\/h/,
  );
});

test('the printed command quotes the folder for a shell where that is needed', () => {
  expect(buildCommand('./baltimore')).toBe('npx tta build --inputs ./baltimore --out ./store');
  expect(buildCommand("my city's $HOME")).toBe(
    "npx tta build --inputs 'my city'\\''s $HOME' --out ./store",
  );
});

test('areas are read from flags, and folders named after them', () => {
  expect(readArea({})).toBeNull();
  expect(
    readArea({ place: ['Baltimore, MD'], county: ['24005, 24510', 'Kent, DE'], state: ['MD,DC'] }),
  ).toEqual({
    places: ['Baltimore, MD'],
    counties: ['24005', '24510', 'Kent, DE'],
    states: ['MD', 'DC'],
    nation: false,
  });
  expect(() => readArea({ county: ['24510,2451'] })).toThrow('"2451" is not a five-digit county');
  expect(folderNameOf('Cañon City, CO')).toBe('cañon-city-co');
  expect(folderNameOf('.., ')).toBe('area');
  const { area, isFresh, build } = readStartArguments(['--place', 'Springfield, IL', '--fresh']);
  expect([area!.name, isFresh, build]).toEqual(['springfield-il', true, null]);
  expect(readStartArguments(['--nation']).area!.name).toBe('nation');
  expect(readStartArguments(['--port', '8090', '--portal-port=8091'])).toEqual({
    area: null,
    isFresh: false,
    build: null,
    ports: { port: '8090', portalPort: '8091' },
  });
  expect(readStartArguments(['--modes', 'walk_slow'])).toMatchObject({
    area: null,
    build: { furtherModes: ['walk_slow'] },
  });
  expect(() => readStartArguments(['--yes'])).toThrow('name an area: --place');
  expect(() => readStartArguments(['--nation', '--max-feeds-left-out', 'x'])).toThrow(
    '--max-feeds-left-out: "x" is not a percentage from 0 to 100',
  );
});
