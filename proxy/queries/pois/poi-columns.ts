import { z } from 'zod';
import { pointAt } from '../../../shards/geometry/geo-json.ts';
import type { PoiFacts, PoiTable } from '../../../shards/pois/poi-table.ts';
import type { Release } from '../../../shards/release/release.ts';
import type { ObjectRef } from '../../../shards/store/store.ts';
import type { Bytes, DestId } from '../../../shards/units.ts';
import { Columns, Geometry } from '../../formats/columns.ts';
import { rowSchema } from '../rows/row-columns.ts';

export interface Poi extends PoiFacts {
  readonly dest_id: DestId;
}

export const DEST_ID = new Columns<{ readonly dest_id: DestId }>({
  dest_id: { type: 'int64', schema: z.int() },
});

const partOfAddress = z.string().nullable();
/** The facts of a POI in rows that also have a time. */
export const POI_FACTS = new Columns<PoiFacts>({
  name: { type: 'string', schema: z.string() },
  lon: { type: 'double', schema: z.number() },
  lat: { type: 'double', schema: z.number() },
  address: {
    type: { street: 'string', city: 'string', state: 'string', zip: 'string' },
    schema: z
      .object({
        street: partOfAddress,
        city: partOfAddress,
        state: partOfAddress,
        zip: partOfAddress,
      })
      .meta({ id: 'Address' }),
    of: ({ street, city, state, zip }) => ({ street, city, state, zip }),
  },
});
const { name, lon, lat, address } = POI_FACTS.members;
const COLUMN_ORDER = ['dest_id', 'name', 'lon', 'lat', 'address'];

/** A POI in rows of searches. In JSON, `lat` precedes `lon`. */
export const POI = new Columns<Poi>({ ...DEST_ID.members, name, lat, lon, address }, COLUMN_ORDER);

export const POI_DETAIL = new Columns<Poi>(
  {
    ...POI.members,
    type_ids: { type: 'string', schema: z.array(z.int()), of: ({ types }) => types },
    attrs: {
      type: { brand: 'string' },
      schema: z.object({ brand: z.string().optional() }),
      of: ({ brand }) => (brand === null ? {} : { brand }),
    },
  },
  COLUMN_ORDER,
);

export const poiSchema = rowSchema(POI).meta({ id: 'PoiSearchResult' });
export const poiDetailSchema = rowSchema(POI_DETAIL).meta({ id: 'PoiDetail' });

export const POI_POINT = new Geometry<Pick<PoiFacts, 'lon' | 'lat'>>(({ lon, lat }) =>
  pointAt(lon, lat),
);

/** Size of what is kept of a POI in addition to its own strings, in the most verbose format. */
const BYTES_PER_POI: Bytes = 400;

/** Keeps what is made of the POIs of an object, under a name, with the object's head. */
export function keptPois<T extends object>(
  release: Release,
  object: ObjectRef,
  name: string,
  { count, textBytes }: PoiTable,
  make: () => T,
): Promise<T> {
  return release.cachedFrom(object, name, async () => {
    return { value: make(), bytes: count * BYTES_PER_POI + textBytes };
  });
}
