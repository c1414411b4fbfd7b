import { onDemand } from '../../../shards/concurrency/on-demand.ts';
import { somePlace } from './release.ts';

/** Postal abbreviation of the state of the demo city, which no state has. */
const FICTIONAL_STATE = 'XA';

export const isFictional = onDemand(async () => (await somePlace())?.state === FICTIONAL_STATE);

/** Stands where the sources of real data are credited. */
export const FICTIONAL =
  'Fictional demo city: its streets, people, places and timetables are invented.';
