import path from 'node:path';
import { z } from 'zod';
import { type PortalConfigInput, portalConfigSchema } from '../../portal/config.ts';
import { isEmailAddress } from '../../portal/sign-in/email-address.ts';
import { asciiDomain } from '../../proxy/ledger/mailbox.ts';
import { BOTH, count } from './both-servers.ts';
import { METRICS_PORT, port } from './listening.ts';
import { paymentSettings, STRIPE } from './payment.ts';
import { setting } from './setting.ts';
import { integerSetting, listOf, secretsSetting } from './setting-types.ts';

/** Mail domains, comma-separated, in the form of DNS. */
const mailDomains = z.string().transform((text, context) =>
  listOf(text).map((given) => {
    const domain = asciiDomain(given);
    if (!isEmailAddress(`someone@${domain}`)) {
      context.addIssue(`"${given}" is not a mail domain such as example.edu`);
    }
    return domain;
  }),
);

/** Settings of `tta portal`. */
export const portalSchema = z.object({
  ...BOTH,
  PORTAL_PORT: setting(port().prefault('8081'), {
    description: 'port to listen on',
    flag: '--port',
    value: '<port>',
  }),
  SMTP_URL: setting(
    z
      .url({
        protocol: /^smtps?$/,
        error: 'must have the form smtp://HOST or smtps://HOST',
      })
      .optional(),
    {
      description: 'mail server: smtp://user:password@host:587 or smtps://…',
      secret: true,
      whenUnset: 'mails are written to VAR_DIR/mail',
      needs: ['MAIL_FROM'],
    },
  ),
  MAIL_FROM: setting(
    z
      .string()
      .refine(isSender, 'is not an address such as Travel times <no-reply@example.org>')
      .optional(),
    { description: 'From address of e-mails', value: '<address>' },
  ),
  MAILS_PER_HOUR: setting(count().prefault('2000'), {
    description:
      'maximum mails per hour from all portals of a ledger; at most a fifth of that, and no more than 200, for one network (/24, /48)',
    value: '<n>',
  }),
  SIGNUP_GRANTS_PER_DAY: setting(integerSetting(0, 1e9).prefault('500'), {
    description:
      'maximum new accounts per day that get free tokens; 0: none. Others get theirs by themselves, later',
    value: '<n>',
  }),
  SIGNUP_GRANTS_PER_NETWORK: setting(count().prefault('100'), {
    description: 'of those, maximum per network: an IPv4 /24, an IPv6 /48. See TRUST_PROXY',
    value: '<n>',
  }),
  SIGNUP_GRANTS_PER_DOMAIN: setting(count().prefault('20'), {
    description: 'of those, maximum per mail domain, except public mail providers',
    value: '<n>',
  }),
  SIGNUP_GRANTS_OPEN_DOMAINS: setting(mailDomains.optional(), {
    description:
      'mail domains without that maximum, comma-separated, each with its subdomains: a university, a company',
    value: '<domains>',
    whenUnset: 'none',
  }),
  SESSION_SECRETS: setting(secretsSetting.optional(), {
    description: 'one or two, comma-separated: the first signs new sessions, both are accepted',
    secret: true,
    whenUnset: 'one stored in the ledger',
  }),
  MAP_STYLE_URL: setting(portalConfigSchema.shape.mapStyleUrl, {
    description:
      'MapLibre style to draw below the map; it, its tiles, fonts and icons come from one host',
    whenUnset: 'the base map of the release',
  }),
  ...STRIPE,
  METRICS_PORT,
  VAR_DIR: setting(z.string().prefault('var'), {
    description: 'folder for data other than the ledger',
    value: '<dir>',
  }),
});

/** Settings of the portal, validated; null where nothing is for sale, mailed or measured. */
export type PortalSettings = ReturnType<typeof portalSettings>;

/** The settings of the portal, from those that were read. */
export function portalSettings(set: z.output<typeof portalSchema>, version: string) {
  /** Without its address if that depends on the port it gets. */
  const portal: PortalConfigInput = {
    version,
    accountUrl: set.ACCOUNT_URL,
    apiUrl: set.BASE_URL,
    problemBase: set.PROBLEM_BASE,
    rateLimitPerMinute: set.FREE_RATE_LIMIT_PER_MINUTE,
    sessionSecrets: set.SESSION_SECRETS,
    mailsPerHour: set.MAILS_PER_HOUR,
    signupGrants: {
      perDay: set.SIGNUP_GRANTS_PER_DAY,
      perNetwork: set.SIGNUP_GRANTS_PER_NETWORK,
      perDomain: set.SIGNUP_GRANTS_PER_DOMAIN,
      openDomains: set.SIGNUP_GRANTS_OPEN_DOMAINS,
    },
    trustProxy: set.TRUST_PROXY,
    mapStyleUrl: set.MAP_STYLE_URL,
    logLevel: set.LOG_LEVEL,
  };
  return {
    ledger: set.LEDGER,
    port: set.PORTAL_PORT,
    host: set.HOST,
    metricsPort: set.METRICS_PORT ?? null,
    mail: {
      smtpUrl: set.SMTP_URL ?? null,
      from: set.MAIL_FROM ?? null,
      folder: path.join(set.VAR_DIR, 'mail'),
    },
    stripe: paymentSettings(set),
    portal,
  };
}

/** Whether text is an address, or `Name <address>`, on one line. */
function isSender(text: string): boolean {
  const [, named] = /^[^<>\p{Cc}]*<([^<>]+)>$/u.exec(text) ?? [];
  return isEmailAddress(named ?? text);
}
