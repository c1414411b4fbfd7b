import { LOCATION } from '../../builder/gtfs/stops.ts';
import { wheelchairAccessOf } from '../../builder/gtfs/values.ts';
import { localDistance } from '../../shards/geometry/wgs84.ts';
import { counted } from '../../shards/number-words.ts';
import type { FeedDraft } from './feed-draft.ts';
import { ChangeError, type ChangeOf } from './scenario-file.ts';
import { findStop, listed } from './select-trips.ts';

/** Moves a stop. Times of trips stay as they are; blank ones follow from where stops are. */
export function moveStop(draft: FeedDraft, { stop, lon, lat }: ChangeOf<'move-stop'>): string[] {
  const named = draft.stops.get(stop);
  if (named?.type === LOCATION.station) {
    const parts = [...draft.stops.values()].filter(({ parent }) => parent === stop);
    throw new ChangeError(
      ['stop'],
      `"${stop}" is a station, of which riders use the parts; move these: ${listed(parts.map(({ id }) => id))}`,
    );
  }
  const isEntrance = named?.type === LOCATION.entrance;
  const id = isEntrance ? named.id : findStop(draft, stop, ['stop']);
  const before = draft.stops.get(id)!;
  draft.moveStop(id, lon, lat);
  const metres = localDistance(before.lon, before.lat, Number(lon), Number(lat));
  return [`${before.name} (${id}): moved by ${Math.round(metres)} m`];
}

export function addStop(draft: FeedDraft, change: ChangeOf<'add-stop'>): string[] {
  const { stop: id, name, lat, lon, parent_station: parent = '' } = change;
  const { stops: table } = draft.tables;
  if (draft.stops.has(id)) {
    throw new ChangeError(['stop'], `"${id}" is the stop_id of a stop that exists; choose another`);
  }
  if (parent !== '' && draft.stops.get(parent)?.type !== LOCATION.station) {
    throw new ChangeError(
      ['parent_station'],
      `"${parent}" is no station (location_type 1) of the feed`,
    );
  }
  for (const column of ['parent_station', 'wheelchair_boarding'] as const) {
    if (change[column] === undefined || table.has(column)) continue;
    throw new ChangeError([column], 'has no column in stops.txt of the feed; leave it out');
  }
  const record = table.make({
    stop_id: id,
    stop_name: name,
    stop_lat: lat,
    stop_lon: lon,
    location_type: 0,
    parent_station: parent,
    wheelchair_boarding: change.wheelchair_boarding ?? '',
  });
  const isDirect = false;
  const [timeZone, level, line] = [null, null, 0];
  const wheelchair = wheelchairAccessOf(`${change.wheelchair_boarding ?? ''}`);
  const at = { lon: Number(lon), lat: Number(lat) };
  draft.addStop(
    { id, name, ...at, type: LOCATION.stop, parent, timeZone, isDirect, wheelchair, level, line },
    record,
  );
  return [`${name} (${id}): added`];
}

/** Says which stops a scenario added without leading a line there. */
export function unusedStops(draft: FeedDraft, added: readonly string[]): string[] {
  const used = new Set([...draft.trips].flatMap(({ calls }) => calls.map(({ stop }) => stop)));
  const unused = added.filter((stop) => !used.has(stop));
  return unused.length === 0
    ? []
    : [
        `${counted(unused.length, 'added stop')} without a line: ${listed(unused)}; reroute or add-route can lead one there`,
      ];
}
