import type { ColumnType } from '../../../shards/parquet/table.ts';
import type { Degrees } from '../../../shards/units.ts';

export const MATCH_KINDS = [
  'address',
  'interpolated',
  'street',
  'intersection',
  'coordinates',
  'block',
  'neighbourhood',
  'place',
  'county',
] as const;
export type MatchKind = (typeof MATCH_KINDS)[number];

export interface AddressMatch {
  readonly address: string;
  readonly label: string;
  readonly kind: MatchKind;
  readonly lat: Degrees;
  readonly lon: Degrees;
  readonly geoid: string;
  readonly confidence: number;
}

/** Its columns in formats without nested members. */
export const MATCH_COLUMNS = {
  address: 'string',
  label: 'string',
  kind: 'string',
  lat: 'double',
  lon: 'double',
  geoid: 'string',
  confidence: 'double',
} as const satisfies Readonly<Record<keyof AddressMatch, ColumnType>>;
