import { MAP_COLOURS } from '../../../map-classes.ts';
import type { Scheme } from '../drawing/paint.ts';

/** The id of the pattern of blocks without a street near. */
export const STRIPES = 'no-street';

export function StripePattern({ scheme }: { readonly scheme: Scheme }) {
  const { stripe, beyond } = MAP_COLOURS[scheme];
  return (
    <defs>
      <pattern id={STRIPES} width="8" height="8" patternUnits="userSpaceOnUse">
        <rect width="8" height="8" fill={beyond} />
        <path d="M-1 5L5 -1M3 9L9 3" stroke={stripe} stroke-width="1.75" />
      </pattern>
    </defs>
  );
}
