import { z } from 'zod';
import { COUNTY_FIPS } from '../../shards/geoid.ts';
import { EXPORT_FORMATS } from '../../shards/release/exported-table.ts';
import { BOUNDS, boundsSchema } from '../bounds.ts';
import { EXPORT_PRICES } from '../exports/export-lists.ts';
import { countyFips } from './location-parameters.ts';
import { named, repeated } from './named-parameter.ts';
import { integerText } from './scalar-text.ts';

const TABLES = [...EXPORT_PRICES.keys()];

export const exportTableParam = named('ExportTable', oneOf(TABLES, 'Only these tables'));

export const exportCountyParam = named(
  'ExportCounty',
  repeated(
    countyFips,
    { type: 'string', pattern: COUNTY_FIPS.source },
    { what: 'Only tables of these counties', more: '' },
  ),
);

export const exportFormatParam = named('ExportFormat', oneOf(EXPORT_FORMATS, 'Only these formats'));

const { min, max } = BOUNDS.limit;

export const exportLimitParam = named(
  'ExportLimit',
  integerText(BOUNDS.limit)
    .optional()
    .meta({
      description: `Files per page, ${min} to ${max}; omitted: ${max}.`,
      override: boundsSchema('integer', BOUNDS.limit),
    }),
);

function oneOf<T extends string>(values: readonly T[], what: string) {
  return repeated(
    z.enum(values, { error: `must be one of ${values.join(', ')}` }),
    { type: 'string', enum: [...values] },
    { what, more: '' },
  );
}
