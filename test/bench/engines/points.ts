import type { Degrees } from '../../../shards/units.ts';

export type Position = readonly [lon: Degrees, lat: Degrees];
