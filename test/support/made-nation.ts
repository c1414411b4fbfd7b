import { countiesOf } from '../../infra/demo/census-ids.ts';
import { type CityPlan, planCity } from '../../infra/demo/city-plan.ts';
import { gtfsTables } from '../../infra/demo/gtfs-tables.ts';
import type { GtfsTable } from '../../infra/demo/gtfs-writer.ts';
import { planMetropolisTransit } from '../../infra/demo/metropolis-transit.ts';
import { streetNames } from '../../infra/demo/names.ts';
import type { OsmContent } from '../../infra/demo/osm-elements.ts';
import { osmCity } from '../../infra/demo/osm-file.ts';
import type { ShapefileLayer } from '../../infra/demo/shapefile-writer.ts';
import { blockLayer, countyLayer, placeLayer } from '../../infra/demo/tiger-layers.ts';
import { planTransit } from '../../infra/demo/transit-plan.ts';
import { boxAroundBoth } from '../../shards/geometry/wgs84.ts';
import type { BoundingBox, CountyFips, Degrees } from '../../shards/units.ts';

/**
 * The kinds of areas: how many times as long and wide as a city's their blocks are, and their
 * public transport. Blocks per square kilometre: 72, 18 and 0.5.
 */
const KINDS = {
  metropolis: { scale: 1, planTransit: planMetropolisTransit },
  urban: { scale: 2, planTransit },
  rural: { scale: 12, planTransit },
};

/** Neighbouring counties of one kind, on a coast. */
export interface MadeArea {
  readonly kind: keyof typeof KINDS;
  readonly blocks: number;
  readonly counties: number;
}

/** A nation as the content of the files that a real one comes in. */
export interface MadeNation {
  readonly osm: OsmContent;
  readonly counties: readonly MadeCounty[];
  readonly layers: {
    /** One for each county. */
    readonly blocks: readonly ShapefileLayer[];
    readonly places: ShapefileLayer;
    readonly counties: ShapefileLayer;
  };
  /** The timetables of the areas, whose rows can be read once. */
  readonly feeds: readonly (() => readonly GtfsTable[])[];
}

interface MadeCounty {
  readonly fips: CountyFips;
  readonly kind: MadeArea['kind'];
  readonly box: BoundingBox;
}

/** Land between areas: more than an hour's ride. */
const GAP: Degrees = 0.35;
/** Ids of OpenStreetMap that an area may use. */
const IDS = 2 ** 31;
/** County codes are odd. */
const CODES_PER_COUNTY = 2;

/** Where an area lies, beside its own plan. */
interface Placed {
  readonly area: MadeArea;
  readonly plan: CityPlan;
  readonly names: ReturnType<typeof streetNames>;
  readonly transit: ReturnType<typeof planTransit>;
  readonly ordinal: number;
  readonly lon: Degrees;
  readonly lat: Degrees;
  readonly firstCode: number;
}

/** Draws areas in rows of a square, in a state given by its code. Equal arguments give the same. */
export function makeNation(areas: readonly MadeArea[], state: string, seed: number): MadeNation {
  const placed = placeAreas(areas, seed);
  const contents = placed.map((one) => movedContent(one));
  const counties = placed.flatMap((one) =>
    countiesOf(one.plan).map(({ fips }): MadeCounty => {
      const code = codeOf(fips, one);
      return { fips: `${state}${code}`, kind: one.area.kind, box: boxOfCounty(one, fips) };
    }),
  );
  const joined = (name: string, layer: (one: Placed) => ShapefileLayer): ShapefileLayer => {
    const layers = placed.map((one) => movedLayer(layer(one), one, state));
    return { ...layers[0], name, records: () => chained(layers.map((own) => own.records())) };
  };
  return {
    osm: {
      box: contents.map(({ box }) => box).reduce(boxAroundBoth),
      nodes: () => chained(contents.map((own) => own.nodes())),
      ways: () => chained(contents.map((own) => own.ways())),
      relations: () => chained(contents.map((own) => own.relations())),
    },
    counties,
    layers: {
      blocks: placed.flatMap((one) =>
        countiesOf(one.plan).map((county) => {
          const name = `tl_${state}${codeOf(county.fips, one)}_tabblock20`;
          return { ...movedLayer(blockLayer(one.plan, county), one, state), name };
        }),
      ),
      places: joined(`tl_${state}_place`, ({ plan }) => placeLayer(plan)),
      counties: joined('tl_us_county', ({ plan }) => countyLayer(plan)),
    },
    feeds: placed.map(
      (one) => () => gtfsTables(one.plan, one.transit).map((table) => movedTable(table, one)),
    ),
  };
}

function placeAreas(areas: readonly MadeArea[], seed: number): Placed[] {
  const planned = areas.map((area, ordinal) => {
    const { scale, planTransit } = KINDS[area.kind];
    const plan = planCity({ ...area, scale, seed: seed + ordinal });
    const names = streetNames(plan);
    return { area, plan, names, transit: planTransit(plan, names), ordinal };
  });
  const boxes = planned.map(({ plan, names, transit }) => osmCity(plan, names, transit).box);
  const wide = Math.max(...boxes.map(({ minLon, maxLon }) => maxLon - minLon)) + GAP;
  const high = Math.max(...boxes.map(({ minLat, maxLat }) => maxLat - minLat)) + GAP;
  const across = Math.ceil(Math.sqrt(areas.length));
  const middle = (across - 1) / 2;
  let firstCode = 0;
  return planned.map((one) => {
    const [column, row] = [one.ordinal % across, Math.floor(one.ordinal / across)];
    const placed = { ...one, lon: (column - middle) * wide, lat: (row - middle) * high, firstCode };
    firstCode += CODES_PER_COUNTY * one.area.counties;
    return placed;
  });
}

function* chained<T>(all: readonly Iterable<T>[]): Generator<T> {
  for (const one of all) yield* one;
}

/** OpenStreetMap's raster: seven decimals. */
function degrees(value: Degrees): Degrees {
  return Math.round(value * 1e7) / 1e7;
}

function codeOf(fips: string, { firstCode }: Placed): string {
  return String(Number(fips) + firstCode).padStart(3, '0');
}

function boxOfCounty({ plan, lon, lat }: Placed, fips: string): BoundingBox {
  const layer = blockLayer(plan, countiesOf(plan).find((one) => one.fips === fips)!);
  const points = [...layer.records()].flatMap(({ polygon }) => polygon[0]);
  const [lons, lats] = [points.map(([x]) => x + lon), points.map(([, y]) => y + lat)];
  const least = (values: readonly number[]) => values.reduce((a, b) => Math.min(a, b));
  const most = (values: readonly number[]) => values.reduce((a, b) => Math.max(a, b));
  return { minLon: least(lons), minLat: least(lats), maxLon: most(lons), maxLat: most(lats) };
}

function movedContent({ plan, names, transit, ordinal, lon, lat }: Placed): OsmContent {
  const content = osmCity(plan, names, transit);
  const { minLon, minLat, maxLon, maxLat } = content.box;
  const id = (own: number) => own + ordinal * IDS;
  return {
    box: { minLon: minLon + lon, minLat: minLat + lat, maxLon: maxLon + lon, maxLat: maxLat + lat },
    *nodes() {
      for (const node of content.nodes()) {
        const at = { lon: degrees(node.lon + lon), lat: degrees(node.lat + lat) };
        yield { ...node, ...at, id: id(node.id) };
      }
    },
    *ways() {
      for (const way of content.ways()) yield { ...way, id: id(way.id), refs: way.refs.map(id) };
    },
    *relations() {
      for (const relation of content.relations()) {
        const members = relation.members.map(({ way, role }) => ({ way: id(way), role }));
        yield { ...relation, id: id(relation.id), members };
      }
    },
  };
}

/** Moves a layer, and gives its counties and places the codes of their area. */
function movedLayer(layer: ShapefileLayer, placed: Placed, state: string): ShapefileLayer {
  const { lon, lat, ordinal } = placed;
  const place = (code: string) => String(Number(code) + ordinal).padStart(5, '0');
  const signed = (value: number) => `${value < 0 ? '' : '+'}${value.toFixed(7)}`;
  const isOfPlaces = layer.fields.some(({ name }) => name === 'PLACEFP');
  const changes: Readonly<Record<string, (value: string) => string>> = {
    STATEFP: () => state,
    COUNTYFP: (code) => codeOf(code, placed),
    PLACEFP: place,
    GEOID: (id) =>
      isOfPlaces
        ? `${state}${place(id.slice(2))}`
        : `${state}${codeOf(id.slice(2, 5), placed)}${id.slice(5)}`,
    INTPTLAT: (value) => signed(Number(value) + lat),
    INTPTLON: (value) => signed(Number(value) + lon),
  };
  const byColumn = layer.fields.map(({ name }) => changes[name.replace(/20$/, '')]);
  return {
    ...layer,
    *records() {
      for (const { polygon, values } of layer.records()) {
        yield {
          polygon: polygon.map((ring) => ring.map(([x, y]) => [x + lon, y + lat] as const)),
          values: values.map((value, i) => byColumn[i]?.(String(value)) ?? value),
        };
      }
    },
  };
}

/** Moves the stops of a timetable, whose agency gets a name of its own. */
function movedTable(table: GtfsTable, { ordinal, lon, lat }: Placed): GtfsTable {
  const changes: Readonly<Record<string, (value: string | number) => string>> = {
    stop_lon: (value) => (Number(value) + lon).toFixed(7),
    stop_lat: (value) => (Number(value) + lat).toFixed(7),
    agency_name: (value) => `${value} ${ordinal + 1}`,
    feed_publisher_name: (value) => `${value} ${ordinal + 1}`,
  };
  const byColumn = table.columns.map((column) => changes[column]);
  return {
    ...table,
    rows: {
      *[Symbol.iterator]() {
        for (const row of table.rows) yield row.map((value, i) => byColumn[i]?.(value) ?? value);
      },
    },
  };
}
