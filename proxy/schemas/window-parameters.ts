import { z } from 'zod';
import type { oas31 } from 'zod-openapi';
import { DEPARTURE_WINDOWS, PERCENTILES } from '../../shards/departure-windows.ts';
import { oneOf } from './body-members.ts';
import { FIELD_DESCRIPTIONS } from './field-descriptions.ts';
import { named } from './named-parameter.ts';
import { choice, decimal, onceText } from './scalar-text.ts';

const departureSchema: oas31.SchemaObject = {
  type: 'string',
  enum: [...DEPARTURE_WINDOWS],
  default: DEPARTURE_WINDOWS[0],
};
const DEPARTURE = { description: FIELD_DESCRIPTIONS.departure, override: departureSchema };

const percentileSchema: oas31.SchemaObject = {
  type: 'integer',
  enum: [...PERCENTILES],
  default: PERCENTILES[0],
};
const PERCENTILE = { description: FIELD_DESCRIPTIONS.percentile, override: percentileSchema };

const percentile = z.literal(PERCENTILES, {
  error: `must be ${PERCENTILES.join(' or ')}`,
});

/** The window of departures and the percentile, on every route that takes a mode. */
export const WINDOW_PARAMS = {
  departure: named('Departure', choice(DEPARTURE_WINDOWS).optional().meta(DEPARTURE)),
  percentile: named(
    'Percentile',
    onceText.transform(decimal).pipe(percentile).optional().meta(PERCENTILE),
  ),
};

/** The window of departures and the percentile, as members of request bodies. */
export const WINDOW_MEMBERS = {
  departure: oneOf(DEPARTURE_WINDOWS).optional().meta(DEPARTURE),
  percentile: percentile.optional().meta(PERCENTILE),
};
