import { withCommas } from '../shards/number-words.ts';

/** Prices, as stated by the plans route and the portal. */
export const PLANS = {
  free_grant: { tokens: 5_000 },
  membership: {
    price_usd: 10,
    interval: 'month',
    tokens_per_month: 10_000,
    isochrones_unmetered: true,
  },
  token_packs: [
    { id: 'pack_10k', tokens: 10_000, price_usd: 12 },
    { id: 'pack_50k', tokens: 50_000, price_usd: 50 },
    { id: 'pack_250k', tokens: 250_000, price_usd: 200 },
  ],
  charges: {
    row: 1,
    isochrone_contour: 10,
    tile: 1,
    minimum: 1,
    /** Minimum price of a request for coverage: sums over an area. */
    area_minimum: 10,
    basket: 10,
    /** Price per site or candidate. */
    site: 1,
    sites_minimum: 10,
    /** Price of comparing an area in two releases, beside that of the rows. */
    changes: 10,
    /** Price of the legs of a trip. */
    explain: 5,
    /** Price per file of each exported table, for one county or for the release. */
    exports: {
      nearest: 1_000,
      nearest_wide: 1_000,
      pois: 5_000,
      reach: 10_000,
      access: 1_000,
      poi_catalogue: 1_000,
      blocks: 10,
      weights: 10,
      places: 10,
      types: 10,
    },
  },
} as const;

/**
 * The prices in sentences, for documents. `areSold`: whether tokens and memberships can be bought;
 * undefined where only the portal knows.
 */
export function pricesInWords(areSold?: boolean): string {
  const { charges, membership, token_packs, free_grant } = PLANS;
  const packs = token_packs.map(
    ({ tokens, price_usd }) => `${withCommas(tokens)} tokens for $${price_usd}`,
  );
  return [
    `A row costs ${charges.row} token, a request at least ${charges.minimum}.`,
    `An isochrone costs ${charges.isochrone_contour} tokens a contour, a map tile ${charges.tile}; both are free for members.`,
    `The legs of a trip cost ${charges.explain} tokens.`,
    `Coverage of an area costs a token a row, a basket of criteria ${charges.basket}, at least ${charges.area_minimum} in all; sites ${charges.site} token each, at least ${charges.sites_minimum}, and their supply a token a row more; changes between releases ${charges.changes} and a token a row.`,
    `A new account has ${withCommas(free_grant.tokens)} free tokens.`,
    ...(areSold === false
      ? []
      : [
          `${areSold ? 'Packs' : 'Where the portal sells tokens, packs'}: ${packs.join(', ')}; a membership for $${membership.price_usd} a ${membership.interval}, with ${withCommas(membership.tokens_per_month)} tokens.`,
        ]),
  ].join(' ');
}

export type PackId = (typeof PLANS.token_packs)[number]['id'];

/** Monthly price of a membership, in cents. */
export const MEMBERSHIP_CENTS = PLANS.membership.price_usd * 100;

/** How long a renewing membership stays active without the payment, or its event. */
export const MEMBERSHIP_GRACE_DAYS = 3;

// Limits on keys, shared by ledgers, portal and pages.

/** Maximum number of active keys per account. A disabled key counts. */
export const MAX_ACTIVE_KEYS = 3;
/** Maximum length of a label in characters, regardless of their encoded size. */
export const MAX_LABEL = 100;
