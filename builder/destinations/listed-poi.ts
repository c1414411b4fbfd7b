import { z } from 'zod';
import type { DestTypeId } from '../../shards/units.ts';
import { BuildError, quoted } from '../errors.ts';
import type { FeatureRecord } from '../inputs/geojson.ts';
import { hashedDestId } from './dest-id.ts';
import type { Destination, DestinationFacts } from './destination.ts';
import { locationOf } from './poi-location.ts';
import { TAXONOMY, type TaxonomyEntry } from './taxonomy.ts';

const scalar = z
  .union([z.string(), z.number(), z.bigint()])
  .transform((value) => `${value}`.trim());
const text = scalar.nullish().transform((value) => value || null);

const ownId = scalar.pipe(z.string().min(1));

/**
 * One or several labels or ids of leaves. Several may share one text, as spreadsheets write them.
 */
const types = z
  .union([
    scalar.transform((value) => value.replaceAll(/[[\]"]/g, '').split(/[,;]/)),
    z.array(scalar),
  ])
  .nullish()
  .transform((asked) => (asked ?? []).map((type) => type.trim()).filter((type) => type !== ''));

/** Digits of a ZIP code; one that a spreadsheet converted to a number lacks its leading zeros. */
const ZIP_DIGITS = 5;

const members = z.object({
  name: text,
  type: types,
  types,
  brand: text,
  street: text,
  city: text,
  state: text.transform((state) => (state?.length === 2 ? state.toUpperCase() : state)),
  zip: text.transform((zip) => zip?.padStart(ZIP_DIGITS, '0') ?? null),
});

/** A POI from a list, and a description of its record there: file, line or row, and id. */
export interface ListedPoi {
  readonly destination: Destination;
  readonly record: string;
}

/** Prefix of the source of a listed POI. The source does not depend on where the list is stored. */
const SOURCE = 'listed POI ';

/** Whether a POI is from a user's own list, whose ids are stable only within that list. */
export function isListed({ source }: DestinationFacts): boolean {
  return source.startsWith(SOURCE);
}

/**
 * Reads a POI from a user's own list: a point or polygons, with the properties `id` (a text or a
 * number, unique and stable), `type` or `types` (labels or ids of leaves of the taxonomy), and
 * optionally `name`, `brand`, `street`, `city`, `state` and `zip`. Throws a `BuildError` that names
 * the feature and what it lacks.
 */
export function listedPoi({ where, id, properties, geometry }: FeatureRecord): ListedPoi {
  const idRead = ownId.safeParse(properties.id ?? id);
  if (!idRead.success) {
    throw new BuildError(`${where}: has no "id"; give each POI a permanent one, as text or number`);
  }
  const record = `${where} (id ${idRead.data})`;
  const location = locationOf(geometry);
  if (!location) {
    throw new BuildError(
      `${record}: its geometry is not a Point, Polygon or MultiPolygon in degrees of longitude and latitude`,
    );
  }
  const read = members.safeParse(properties);
  if (!read.success) {
    const [{ path, message }] = read.error.issues;
    throw new BuildError(`${record}: "${path.join('.')}": ${message}`);
  }
  const { name, type, types, brand, street, city, state, zip } = read.data;
  const leaves = [...type, ...types].map((asked) => leafOf(asked, record));
  if (leaves.length === 0) {
    throw new BuildError(`${record}: has no "type"; give it one, such as "grocery_stores"`);
  }
  const typeIds = leaves.map((leaf): DestTypeId => leaf.dest_type_id);
  const destination = {
    destId: hashedDestId('file', idRead.data),
    source: `${SOURCE}${idRead.data}`,
    name: name ?? brand ?? leaves[0].name,
    address: { street, city, state, zip },
    brand,
    types: [...new Set(typeIds)].sort((a, b) => a - b),
    ...location,
    entrances: [location],
  };
  return { destination, record };
}

const ENTRIES = new Map(
  TAXONOMY.flatMap((entry) => [
    [entry.label, entry] as const,
    [String(entry.dest_type_id), entry] as const,
  ]),
);

function leafOf(asked: string, record: string): TaxonomyEntry {
  const entry = ENTRIES.get(asked);
  if (!entry) {
    throw new BuildError(
      `${record}: type ${quoted(asked)} is not in the taxonomy; use one of its labels or ids, such as "grocery_stores" or 101`,
    );
  }
  const below = TAXONOMY.filter(({ parent_id }) => parent_id === entry.dest_type_id);
  if (below.length > 0) {
    const labels = below.map(({ label }) => label).join(', ');
    throw new BuildError(`${record}: type ${quoted(asked)} is a group; use one of ${labels}`);
  }
  return entry;
}
