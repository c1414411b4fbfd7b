import { keylessClient } from './clients.ts';
import { somePlace } from './release.ts';

/** Postal abbreviation of the state of the demo city, which no state has. */
const FICTIONAL_STATE = 'XA';

let asked: Promise<boolean> | null = null;

/** Whether the release is of the fictional demo city. */
export function isFictional(): Promise<boolean> {
  asked ??= somePlace(keylessClient).then((place) => place?.state === FICTIONAL_STATE);
  // A failure is not kept: the next caller asks again.
  asked.catch(() => {
    asked = null;
  });
  return asked;
}

/** Stands where the sources of real data are credited. */
export const FICTIONAL =
  'Fictional demo city: its streets, people, places and timetables are invented.';
