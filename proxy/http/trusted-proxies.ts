import type { FastifyServerOptions } from 'fastify';
import { z } from 'zod';

const WRONG =
  'must be the number of proxies in front of this service (1 to 16) or their networks, such as loopback or 10.0.0.0/8; trusting all is refused, since clients could then choose their own address; to trust none, leave it unset';

const network = z
  .union([
    z.enum(['loopback', 'linklocal', 'uniquelocal']),
    z.ipv4(),
    z.ipv6(),
    z.cidrv4(),
    z.cidrv6(),
  ])
  .refine(isNarrow, WRONG);

/**
 * Whether a network is narrow: wider ones do not belong to one operator, and a few of them together
 * would cover all addresses.
 */
function isNarrow(network: string): boolean {
  const [address, bits] = network.split('/');
  if (bits === undefined) return true;
  if (!address.includes(':')) return Number(bits) >= 8;
  // An IPv4-mapped address has IPv4 in its last 32 bits.
  return Number(bits) >= (/^(::ffff:|0*:0*:0*:0*:0*:ffff:)/i.test(address) ? 104 : 7);
}

/**
 * Proxies whose `X-Forwarded-For` is trusted: a number of proxies in front of the service, or their
 * networks. Trusting all is refused: a client could then choose its address, and get a new rate
 * limit with each. A number requires that only the proxies can reach the service.
 */
export const trustedProxies = z.union(
  [z.int(WRONG).min(1, WRONG).max(16, WRONG), z.array(network).min(1, WRONG)],
  WRONG,
);

export function trustProxyOption(
  trusted: z.output<typeof trustedProxies> | undefined,
): FastifyServerOptions['trustProxy'] {
  if (typeof trusted === 'number') return (_address, hop) => hop < trusted;
  return trusted ?? false;
}
