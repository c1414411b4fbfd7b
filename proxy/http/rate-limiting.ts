import { isIPv4, isIPv6 } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RateState, RateWindow } from '../ledger/rate-window.ts';
import { Problem } from './problem.ts';

/** Groups of 16 bits in an IPv6 address. */
const GROUPS = 8;
/** Number of groups that identify the smallest customer network, and a whole site. */
const SUBNET_GROUPS = 4;
const SITE_GROUPS = 3;
const UNKNOWN = 'unknown';

/**
 * The rate subject of an address: for IPv4 the address, also when written as IPv6; for IPv6 its /64
 * network, since one machine may use any address in it. A port appended by a load balancer is
 * ignored. All invalid addresses share one subject.
 */
export function rateSubject(written: string): string {
  const address = addressIn(written);
  if (typeof address === 'string') return address;
  return `${hexadecimal(address.slice(0, SUBNET_GROUPS))}::/64`;
}

/**
 * The network of an address, which one customer of a provider may control: for IPv4 the 256
 * addresses that share three numbers (/24), for IPv6 the site of 48 bits (RFC 6177).
 */
export function networkOf(written: string): string {
  const address = addressIn(written);
  if (address === UNKNOWN) return UNKNOWN;
  if (typeof address === 'string') return address.replace(/\d+$/, '0/24');
  return `${hexadecimal(address.slice(0, SITE_GROUPS))}::/48`;
}

/** Returns an IPv4 address unchanged, the groups of an IPv6 one, or `UNKNOWN`. */
function addressIn(written: string): string | number[] {
  const [, bracketed, plain] = /^(?:\[(.+)\]|([^:]+)):\d+$/.exec(written) ?? [];
  const address = bracketed ?? plain ?? written;
  if (isIPv4(address)) return address;
  if (!isIPv6(address)) return UNKNOWN;
  const groups = groupsOf(address.split('%')[0]);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (!isMapped) return groups;
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 255])
    .join('.');
}

function hexadecimal(groups: readonly number[]): string {
  return groups.map((group) => group.toString(16)).join(':');
}

function groupsOf(address: string): number[] {
  const [head, tail] = address.split('::').map(writtenGroups);
  if (tail === undefined) return head;
  return [...head, ...Array<number>(GROUPS - head.length - tail.length).fill(0), ...tail];
}

function writtenGroups(part: string): number[] {
  if (part === '') return [];
  return part.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)];
    const [a, b, c, d] = group.split('.').map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}

const DAY_SECONDS = 24 * 60 * 60;

/** A rate window, named by `policy` unless it is that of all requests. */
interface NamedRate extends RateState {
  readonly policy?: string;
}

declare module 'fastify' {
  interface FastifyReply {
    /** The window this request was counted in, once known. */
    rate: NamedRate | null;
  }
}

/** `RateLimit-Policy` of the IETF draft "RateLimit header fields for HTTP". */
export function policyHeader({ policy = 'default', limit, windowSeconds }: NamedRate): string {
  return `"${policy}";q=${limit};w=${windowSeconds}`;
}

/** `RateLimit` of the IETF draft "RateLimit header fields for HTTP". */
export function rateHeader({ policy = 'default', remaining, resetSeconds }: NamedRate): string {
  return `"${policy}";r=${remaining};t=${resetSeconds}`;
}

export function setRateHeaders(reply: FastifyReply): void {
  if (!reply.rate) return;
  reply.header('ratelimit-policy', policyHeader(reply.rate));
  reply.header('ratelimit', rateHeader(reply.rate));
}

/**
 * Returns the problem for exceeding a rate. `what`: the things counted; a window of something other
 * than requests is named after them.
 */
export function rateLimited(
  reply: Pick<FastifyReply, 'rate'>,
  rate: RateState,
  what = 'requests',
): Problem {
  const { limit, windowSeconds, resetSeconds } = rate;
  reply.rate = what === 'requests' ? rate : { ...rate, policy: what.replaceAll(' ', '-') };
  const span = windowSeconds === DAY_SECONDS ? 'per day' : `per ${windowSeconds} s`;
  return new Problem(
    'rate-limited',
    `the limit of ${limit} ${what} ${span} is reached; retry in ${resetSeconds} s`,
    {},
    { 'retry-after': String(resetSeconds) },
  );
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Keyed requests are counted by the ledger. */
    keyed?: boolean;
    /**
     * Requests signed by a trusted sender, which may send many: verifying a forged one costs one
     * hash.
     */
    signed?: boolean;
    /** Probes by load balancers, which may share an address with clients: not counted. */
    probe?: boolean;
  }
}

/**
 * Counts every request that needs no key by its address: the catalogue, documents, and unknown
 * paths. Excludes preflights, which browsers send for each URL of a keyed route, and probes.
 */
export function limitByAddress(app: FastifyInstance, rates: RateWindow): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { keyed, signed, probe } = request.routeOptions.config;
    if (keyed || signed || probe || request.method === 'OPTIONS') return done();
    done(overRate(rates, request, reply));
  });
}

/** Counts a request by its address; returns the problem if it exceeds the rate. */
export function overRate(
  rates: RateWindow,
  request: FastifyRequest,
  reply: FastifyReply,
): Problem | undefined {
  const { allowed, rate } = rates.take(rateSubject(request.ip), Date.now());
  if (!allowed) return rateLimited(reply, rate);
  reply.rate = rate;
  return undefined;
}
