import { MAX_COUNTIES } from '../blocks/coloured-blocks.ts';

/** Sentences on why people in view are not counted, or not yet, by the state of their blocks. */
export const UNCOUNTED = {
  loading: 'Counting people …',
  failed: 'People could not be counted: the API does not respond.',
  'too-many': `Zoom in to count people: more than ${MAX_COUNTIES} counties are in view.`,
} as const;
