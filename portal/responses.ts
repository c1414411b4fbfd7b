import { z } from 'zod';
import { ACTORS, AUDIT_EVENTS, MEMBERSHIP_STATUSES } from '../proxy/ledger/accounts.ts';
import type { PLANS } from '../proxy/plans.ts';

// Responses of the portal: its routes are checked against these schemas, its OpenAPI document is
// generated from them, and its pages import only the types, so that no schema is shipped to
// browsers.

/** RFC 3339, in UTC. */
const moment = z.iso.datetime();
/** Time of an event; null if it has not happened, or never will. */
const momentOrNull = moment.nullable();
const prefix = z.string().meta({ description: 'Leading characters, to recognise the key by.' });
const tokensRemaining = z.int().min(0);

const membershipSchema = z.object({
  status: z.enum(MEMBERSHIP_STATUSES).meta({
    description:
      '`ending`: paid for, and does not renew. `past_due`: a payment failed and will be retried.',
  }),
  renews_at: momentOrNull.meta({ description: 'When the next payment is due, if it renews.' }),
  ends_at: moment.optional().meta({ description: 'When it expires, if `ending`.' }),
  portal_url: z.url().nullable().meta({
    description: 'Where the owner manages it, in a browser. Null: it is not paid for.',
  }),
});
export type Membership = z.output<typeof membershipSchema>;

/** `true` if disabled, otherwise absent. */
const disabled = z.literal(true).optional();

/** Why an account has not received its sign-up grant. */
export const WITHHELD_BY = ['network', 'domain', 'day', 'off'] as const;
export type WithheldBy = (typeof WITHHELD_BY)[number];

const grantWithheldSchema = z
  .object({
    reason: z.enum(WITHHELD_BY).meta({
      description:
        'Which limit was reached: of the network, of the mail domain, or of all accounts in a day. `off`: no grants are given.',
    }),
    until: momentOrNull.meta({
      description:
        'From when it is credited, if there is room. Null while none are given, or none to a disabled account.',
    }),
    detail: z.string().meta({ description: 'The reason and what to do, for the owner.' }),
  })
  .meta({
    description:
      'Why the sign-up grant is delayed. It is credited by itself. Absent if it was given, or is not due.',
  });

export const accountSchema = z
  .object({
    email: z.string().nullable(),
    tokens_remaining: tokensRemaining,
    membership: membershipSchema
      .nullable()
      .meta({ description: 'Null if there is none, or if it has lapsed.' }),
    disabled: disabled.meta({ description: 'An operator has disabled the account: no key works.' }),
    grant_withheld: grantWithheldSchema.optional(),
  })
  .meta({ id: 'Account' });
export type Account = z.output<typeof accountSchema>;

export const keySchema = z.object({
  id: z.string(),
  prefix,
  label: z.string(),
  created_at: moment,
  last_used_at: momentOrNull,
  revoked_at: momentOrNull,
  disabled: disabled.meta({ description: 'An operator has disabled the key: it is refused.' }),
});
export type Key = z.output<typeof keySchema>;

export const newKeySchema = z.object({
  key: z.string(),
  prefix,
  tokens_remaining: tokensRemaining,
});
export type NewKey = z.output<typeof newKeySchema>;

export const newBrowserTokenSchema = z.object({
  token: z.string(),
  expires_at: moment,
});
export type NewBrowserToken = z.output<typeof newBrowserTokenSchema>;

export const usageDaySchema = z.object({
  day: z.iso.date().meta({ description: 'UTC day.' }),
  key_id: z
    .string()
    .meta({ description: 'The key’s id, or `browser-token` for all browser tokens.' }),
  route: z
    .string()
    .meta({ description: 'Method and path, such as `GET /v1/blocks/{geoid}/summary`.' }),
  requests: z.int().min(0),
  tokens: z.int().min(0),
});
export type UsageDay = z.output<typeof usageDaySchema>;

export const deviceSchema = z.object({
  id: z.string(),
  client: z.string().meta({ description: 'Name that the browser or program gives itself.' }),
  address: z.string().meta({ description: 'Address it signed in from.' }),
  started_at: moment,
  seen_at: moment.meta({ description: 'Precise to the hour.' }),
  current: z.boolean().meta({ description: 'Whether this is the session of the request.' }),
});
export type Device = z.output<typeof deviceSchema>;

export const activitySchema = z.object({
  at: moment,
  by: z.enum(ACTORS),
  what: z.enum(AUDIT_EVENTS),
  detail: z.string().meta({ description: 'Which key, how many tokens, or from where.' }),
});
export type Activity = z.output<typeof activitySchema>;

export const portalConfigSchema = z.object({
  api_url: z.url().meta({ description: 'Address of the API, without a trailing slash.' }),
  membership_available: z.boolean(),
  signup_grants: z.boolean().meta({ description: 'Whether new accounts start with free tokens.' }),
  plans: z.custom<typeof PLANS>().meta({
    description: 'The same as `GET /v1/plans` of the API.',
    override: { type: 'object' },
  }),
  example_block: z.string().optional().meta({ description: 'A block for a first request.' }),
  map_style_url: z.url().optional().meta({
    description: 'A MapLibre style below the map, instead of the base map of the release.',
  }),
});
export type PortalConfig = z.output<typeof portalConfigSchema>;
