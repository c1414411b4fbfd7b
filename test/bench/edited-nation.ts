import type { GtfsTable } from '../../infra/demo/gtfs-writer.ts';
import type { OsmContent, OsmNode, OsmWay, Tags } from '../../infra/demo/osm-elements.ts';
import { Random } from '../../infra/demo/seeded-random.ts';
import type { MadeNation } from '../support/made-nation.ts';

/** Shares of what is edited in a week. The edits of a mapper are of neighbouring ways. */
const WAYS = { least: 0.01, most: 0.02, ofOneMapper: 20 };
const POIS = { replaced: 0.003, described: 0.01 };
/** Edits of ways, with their shares of all: assumed. The first two move no minute. */
const WAY_EDITS = [
  { share: 0.5, edit: 'checked' },
  { share: 0.15, edit: 'renamed' },
  { share: 0.2, edit: 'moved' },
  { share: 0.1, edit: 'signed' },
  { share: 0.05, edit: 'closed' },
] as const;
const QUIET_SHARE = 0.65;
/** Share of feeds that have a new version in a week, and of these, that moves trips. */
const FEEDS = { republished: 0.25, retimed: 0.3 };
/** How far a corner is moved, in degrees: up to some metres. */
const MOVED = 5e-5;
const MINUTE = 60;
const WEEK_MS = 7 * 24 * 60 * 60 * 1000;
const FIRST_WEEK = Date.UTC(2026, 0, 4);
const OF_A_POI = ['shop', 'amenity', 'office', 'healthcare', 'tourism', 'craft'];
const STREAM = 0x3ee;

/** A nation whose map and timetables are edited week by week, the same in each run. */
export class EditedNation {
  readonly #relations: OsmContent['relations'];
  readonly #box: OsmContent['box'];
  readonly #nodes: Map<number, OsmNode>;
  readonly #ways: Map<number, OsmWay>;
  readonly #feeds: readonly (readonly GtfsTable[])[];
  /** By feed, the versions that were published, and the seconds by which each line is late. */
  readonly #versions: { version: number; late: Map<string, number> }[];
  /** POIs that have closed. */
  readonly #closed: OsmNode[] = [];
  #week = 0;

  constructor({ osm, feeds }: MadeNation) {
    this.#box = osm.box;
    this.#relations = osm.relations;
    this.#nodes = new Map([...osm.nodes()].map((node) => [node.id, node]));
    this.#ways = new Map([...osm.ways()].map((way) => [way.id, way]));
    this.#feeds = feeds.map((tables) =>
      tables().map((table) => ({ ...table, rows: [...table.rows] })),
    );
    this.#versions = feeds.map(() => ({ version: 0, late: new Map() }));
  }

  /** The map as it is this week, without the elements that are not `kept`. */
  osm(kept: (tags: Tags) => boolean = () => true): OsmContent & { readonly timestamp: Date } {
    const isKept = ({ tags }: { readonly tags: Tags }) => kept(tags);
    return {
      box: this.#box,
      timestamp: new Date(FIRST_WEEK + this.#week * WEEK_MS),
      nodes: () => [...this.#nodes.values()].filter(isKept),
      ways: () => [...this.#ways.values()].filter(isKept),
      relations: this.#relations,
    };
  }

  /** The tables of each feed as they are this week. */
  feeds(): GtfsTable[][] {
    return this.#feeds.map((tables, feed) => {
      const { version, late } = this.#versions[feed];
      return tables.map((table) => edition(table, version, late));
    });
  }

  /** Edits a week; `isQuiet`: with nothing that moves a minute. */
  edit(isQuiet: boolean): void {
    const random = new Random(++this.#week, STREAM);
    this.#editWays(random, isQuiet ? QUIET_SHARE : 1);
    this.#describePois(random, isQuiet);
    if (!isQuiet) this.#replacePois(random);
    if (!isQuiet) this.#publishFeeds(random);
  }

  /** Publishes new versions of some feeds, of which some move the trips of a line. */
  #publishFeeds(random: Random): void {
    for (const [feed, tables] of this.#feeds.entries()) {
      if (!random.chance(FEEDS.republished)) continue;
      const { late } = this.#versions[feed];
      this.#versions[feed].version++;
      if (!random.chance(FEEDS.retimed)) continue;
      const lines = [...tables.find(({ file }) => file === 'routes.txt')!.rows];
      const line = String(random.pick(lines)[0]);
      late.set(line, (late.get(line) ?? 0) + MINUTE * (1 + random.below(5)));
    }
  }

  /** Edits ways in the first kinds of edits, which together have the given share. */
  #editWays(random: Random, share: number): void {
    const ids = [...this.#ways.keys()];
    let left = Math.round(random.between(WAYS.least, WAYS.most) * ids.length);
    while (left > 0) {
      const first = random.below(ids.length);
      const mine = ids.slice(first, first + Math.min(left, 1 + random.below(WAYS.ofOneMapper)));
      for (const id of mine) this.#editWay(this.#ways.get(id)!, random.between(0, share), random);
      left -= mine.length;
    }
  }

  #editWay(way: OsmWay, drawn: number, random: Random): void {
    const week = String(this.#week);
    const tagged = (tags: Tags) =>
      this.#ways.set(way.id, { ...way, tags: { ...way.tags, ...tags } });
    let rest = drawn;
    const { edit } = WAY_EDITS.find(({ share }) => {
      rest -= share;
      return rest < 0;
    })!;
    const isStreet = 'highway' in way.tags;
    if (edit === 'renamed') tagged({ name: `${way.tags.name ?? 'Way'} ${week}` });
    else if (edit === 'moved') this.#move(random.pick(way.refs), random);
    else if (edit === 'signed' && isStreet) tagged({ maxspeed: random.pick(['20 mph', '40 mph']) });
    else if (edit === 'closed' && isStreet) {
      const isClosed = way.tags.highway === 'construction';
      const opened = way.tags.construction ?? 'residential';
      if (isClosed) tagged({ highway: opened });
      else tagged({ highway: 'construction', construction: way.tags.highway });
    } else tagged({ check_date: week });
  }

  #move(id: number, random: Random): void {
    const node = this.#nodes.get(id)!;
    const by = () => Math.round(random.between(-MOVED, MOVED) * 1e7) / 1e7;
    this.#nodes.set(id, { ...node, lon: node.lon + by(), lat: node.lat + by() });
  }

  /** The POIs of the map, in random order. */
  #pois(random: Random): OsmNode[] {
    const isPoi = ({ tags }: OsmNode) => 'name' in tags && OF_A_POI.some((key) => key in tags);
    return random.shuffle([...this.#nodes.values()].filter(isPoi));
  }

  /** Changes opening hours, of which no rule asks, and, except in a quiet week, names. */
  #describePois(random: Random, isQuiet: boolean): void {
    const pois = this.#pois(random);
    for (const [i, node] of pois.slice(0, Math.ceil(POIS.described * pois.length)).entries()) {
      const [key, value] =
        isQuiet || i % 2 === 0
          ? ['opening_hours', `week ${this.#week}`]
          : ['name', `${node.tags.name} ${this.#week}`];
      this.#nodes.set(node.id, { ...node, tags: { ...node.tags, [key]: value } });
    }
  }

  /** Closes some POIs, and opens as many where others have closed. */
  #replacePois(random: Random): void {
    const pois = this.#pois(random);
    const replaced = pois.slice(0, Math.ceil(POIS.replaced * pois.length));
    for (const node of replaced) this.#nodes.set(node.id, { ...node, tags: {} });
    this.#closed.push(...replaced);
    for (const _ of replaced) {
      const [{ id, tags }] = this.#closed.splice(random.below(this.#closed.length), 1);
      const opened = { ...tags, name: `${tags.name} ${this.#week}` };
      this.#nodes.set(id, { ...this.#nodes.get(id)!, tags: opened });
    }
  }
}

/** A table of a version of a feed, whose trips have new ids. */
function edition(table: GtfsTable, version: number, late: ReadonlyMap<string, number>): GtfsTable {
  const trip = table.columns.indexOf('trip_id');
  const times = ['arrival_time', 'departure_time', 'start_time', 'end_time'].map((column) =>
    table.columns.indexOf(column),
  );
  if (table.file === 'feed_info.txt') {
    const at = table.columns.indexOf('feed_version');
    return { ...table, rows: [...table.rows].map((row) => row.with(at, `v${version}`)) };
  }
  if (trip === -1) return table;
  const lines = [...late];
  return {
    ...table,
    rows: [...table.rows].map((row) => {
      const id = String(row[trip]);
      const by = lines.find(([line]) => id.startsWith(`${line}-`))?.[1] ?? 0;
      return row.map((value, i) => {
        if (i === trip) return `${id}-v${version}`;
        return times.includes(i) && value !== '' ? later(String(value), by) : value;
      });
    }),
  };
}

function later(time: string, seconds: number): string {
  const [hours, minutes, rest] = time.split(':').map(Number);
  const sum = hours * 3_600 + minutes * 60 + rest + seconds;
  return [sum / 3_600, (sum / 60) % 60, sum % 60]
    .map((part) => String(Math.floor(part)).padStart(2, '0'))
    .join(':');
}
