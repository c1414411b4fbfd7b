import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { expect, inject, test } from 'vitest';
import { Random } from '../../infra/demo/seeded-random.ts';
import { groupBy } from '../../shards/arrays/group-by.ts';
import { geoidFromNumber } from '../../shards/geoid.ts';
import { proxyOfTests } from '../support/proxy-harness.ts';

const proxy = proxyOfTests();
const SEED = 20_260_801;
const ORIGINS = 25;
/** Trips from each origin: 250 in all. */
const EACH = 10;
/** Ends of legs are rounded to tenths of a minute. */
const ROUNDING = 0.0501;

type Row = Readonly<Record<string, string>>;

/** The files of a ZIP archive, by its central directory. */
function unzipped(file: string): Map<string, string> {
  const bytes = readFileSync(file);
  const end = bytes.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  const files = new Map<string, string>();
  let at = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    const [size, nameLength] = [bytes.readUInt32LE(at + 20), bytes.readUInt16LE(at + 28)];
    const name = bytes.toString('utf8', at + 46, at + 46 + nameLength);
    const local = bytes.readUInt32LE(at + 42);
    const from = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const data = bytes.subarray(from, from + size);
    const isStored = bytes.readUInt16LE(at + 10) === 0;
    files.set(name, (isStored ? data : inflateRawSync(data)).toString('utf8'));
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return files;
}

/** Rows of CSV, some of whose cells are quoted. */
function rowsOf(text: string | undefined): Row[] {
  const [head, ...lines] = (text ?? '').trim().split(/\r?\n/);
  const cells = (line: string) =>
    [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
      ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain,
    );
  const names = cells(head);
  return lines.map((line) => Object.fromEntries(cells(line).map((cell, i) => [names[i], cell])));
}

const minutesOf = (time: string) => {
  const [hours, minutes, seconds] = time.split(':').map(Number);
  return 60 * hours + minutes + seconds / 60;
};

/** A call of a trip: the name of its stop, and bounds of its times where they are left blank. */
interface Call {
  readonly stop: string;
  readonly arrives: readonly [number, number];
  readonly departs: readonly [number, number];
}

/** A trip, and how much later than stated it may run: of a headway the phase is free. */
interface Run {
  readonly calls: readonly Call[];
  readonly later: readonly [number, number];
}

/** The trips of a weekday, by the name of their line, in minutes after midnight. */
function runsOf(feed: Map<string, string>): Map<string, Run[]> {
  const table = (name: string) => rowsOf(feed.get(`${name}.txt`));
  const weekday = new Set(
    table('calendar')
      .filter(({ wednesday }) => wednesday === '1')
      .map((row) => row.service_id),
  );
  const nameOf = new Map(table('stops').map((row) => [row.stop_id, row.stop_name]));
  const lineOf = new Map(table('routes').map((row) => [row.route_id, row.route_short_name]));
  const frequencies = groupBy(table('frequencies'), ({ trip_id }) => trip_id);
  const callsOf = groupBy(table('stop_times'), ({ trip_id }) => trip_id);
  const runs = new Map<string, Run[]>();
  for (const { trip_id, route_id, service_id } of table('trips')) {
    if (!weekday.has(service_id)) continue;
    const rows = callsOf.get(trip_id)!;
    rows.sort((a, b) => Number(a.stop_sequence) - Number(b.stop_sequence));
    const stated = (row: Row | undefined, name: string) =>
      row?.[name] ? minutesOf(row[name]) : null;
    const calls = rows.map((row, i): Call => {
      const before = rows.findLast((one, j) => j < i && one.departure_time);
      const after = rows.find((one, j) => j > i && one.arrival_time);
      const within = [stated(before, 'departure_time')!, stated(after, 'arrival_time')!] as const;
      const [arrival, departure] = [stated(row, 'arrival_time'), stated(row, 'departure_time')];
      return {
        stop: nameOf.get(row.stop_id)!,
        arrives: arrival === null ? within : [arrival, arrival],
        departs: departure === null ? within : [departure, departure],
      };
    });
    const line = runs.get(lineOf.get(route_id)!) ?? [];
    runs.set(lineOf.get(route_id)!, line);
    const headways = (frequencies.get(trip_id) ?? []).map(({ start_time, end_time }) => {
      const [first] = calls[0].departs;
      return [minutesOf(start_time) - first, minutesOf(end_time) - first] as const;
    });
    const stays = [[0, 0]] as const;
    for (const later of frequencies.has(trip_id) ? headways : stays) line.push({ calls, later });
  }
  return runs;
}

interface Leg {
  readonly kind: string;
  readonly minutes: number;
  readonly route?: string;
  readonly from_stop?: string;
  readonly to_stop?: string;
}

/** Whether a run has a ride from one call to a later one, at the minutes given. */
function hasRide({ calls, later }: Run, { from_stop, to_stop }: Leg, leaves: number, ends: number) {
  return calls.some(
    ({ stop, departs }, i) =>
      stop === from_stop &&
      calls.some(({ stop, arrives }, j) => {
        if (j <= i || stop !== to_stop) return false;
        const least = Math.max(leaves - departs[1], ends - arrives[1], later[0]);
        const most = Math.min(leaves - departs[0], ends - arrives[0], later[1]);
        return least <= most + 2 * ROUNDING;
      }),
  );
}

test(`every ride of ${ORIGINS * EACH} trips is in the feed, at its minute, by another reader (seed ${SEED})`, async () => {
  const folder = path.join(inject('demoCity'), 'gtfs');
  const [file] = readdirSync(folder);
  const runs = runsOf(unzipped(path.join(folder, file)));
  const release = proxy.releases.current;
  const mode = release.manifest.modes.indexOf('transit');
  const [{ manifest: county }] = release.counties;
  const { matrix } = await release.pois(county);
  const random = new Random(SEED);
  const trips: object[] = [];
  for (const row of random.shuffle([...matrix.origins.keys()])) {
    const { targets } = (await matrix.row(row))[mode];
    if (targets.length < EACH) continue;
    const from = geoidFromNumber(matrix.origins[row]);
    for (const target of random.shuffle([...targets]).slice(0, EACH)) {
      const minute = Math.floor(random.next() * 60);
      const departs = random.next() < 0.5 ? `08:${String(minute).padStart(2, '0')}` : undefined;
      trips.push({ from, dest_id: matrix.targets[target], departs });
    }
    if (trips.length === ORIGINS * EACH) break;
  }
  const { results } = (await proxy.post('/v1/explain', proxy.key, { trips })).json();
  expect(results.length).toBe(ORIGINS * EACH);
  let rides = 0;
  const missing: object[] = [];
  for (const { travel_time, departs, transfers, legs } of results) {
    const sum = legs.reduce((all: number, { minutes }: Leg) => all + Math.round(10 * minutes), 0);
    expect(sum).toBe(Math.round(10 * (travel_time ?? 0)));
    if (departs === null) continue;
    const ridden = legs.filter(({ kind }: Leg) => kind === 'ride');
    expect(transfers).toBe(ridden.length - 1);
    let now = minutesOf(`${departs}:00`);
    for (const leg of legs as Leg[]) {
      const [leaves, ends] = [now, now + leg.minutes];
      now = ends;
      if (leg.kind !== 'ride') continue;
      rides++;
      if (!runs.get(leg.route!)!.some((run) => hasRide(run, leg, leaves, ends))) {
        missing.push({ ...leg, leaves });
      }
    }
  }
  expect(missing).toEqual([]);
  expect(rides).toBeGreaterThan(50);
});
