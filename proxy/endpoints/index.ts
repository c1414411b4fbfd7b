import type { Endpoint } from '../endpoint.ts';
import { blockPois } from './block-pois.ts';
import { blockSummary } from './block-summary.ts';
import { catalogue } from './catalogue.ts';
import { health, ready } from './health.ts';
import { tokens } from './tokens.ts';

/** Every route of the API, in the order of its document. */
export const ENDPOINTS: readonly Endpoint[] = [
  health,
  ready,
  ...catalogue,
  tokens,
  blockSummary,
  blockPois,
];
