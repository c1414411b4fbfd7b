import type { Random } from '../../../infra/demo/seeded-random.ts';
import { chargedFor } from './judge.ts';
import type { FuzzRequest } from './requests.ts';
import type { Delivered } from './worth.ts';

/** A second request, and the errors in its response given the first one. */
export interface FollowUp {
  readonly request: FuzzRequest;
  faults(second: Delivered): string[];
}

/** Returns a request whose response can be checked against the first one, if there is any. */
export function followUp(
  request: FuzzRequest,
  first: Delivered,
  random: Random,
): FollowUp | undefined {
  if (request.method === 'HEAD') return asGet(request, first);
  if (request.headers['idempotency-key'] !== undefined) return again(request, first);
  const cursor = cursorOf(first);
  if (cursor !== undefined && random.chance(0.6)) {
    return random.chance(0.5)
      ? nextPage(request, cursor, random)
      : altered(request, cursor, random);
  }
  if (request.method === 'GET' && first.headers.etag) return unchanged(request, first, random);
  return undefined;
}

/** HEAD states the cost of GET and its ETag. */
function asGet(request: FuzzRequest, { headers }: Delivered): FollowUp | undefined {
  const cost = headers['x-tokens-cost'];
  if (cost === undefined) return undefined;
  return {
    request: { ...request, method: 'GET' },
    faults: (second) => [
      ...unless(second.status === 200, `HEAD was answered, GET is ${second.status}`),
      ...unless(String(chargedFor(second.headers)) === cost, `HEAD told a cost of ${cost}`),
      ...unless(second.headers.etag === headers.etag, 'HEAD told another ETag'),
    ],
  };
}

/** Repeats a request with its idempotency key: the response is replayed, and not charged. */
function again(request: FuzzRequest, first: Delivered): FollowUp {
  return {
    request,
    faults: ({ status, headers, body }) => [
      ...unless(status === 200, `answered once, then ${status}`),
      ...unless(headers['idempotency-replayed'] === 'true', 'a replay that does not say so'),
      ...unless(body.equals(first.body), 'a replay of another response'),
    ],
  };
}

/** Repeats a request with the ETag of its response: the 304 is free. */
function unchanged(request: FuzzRequest, { headers }: Delivered, random: Random): FollowUp {
  const etag = headers.etag!;
  const condition = random.pick([etag, `W/${etag}`, `"other", ${etag}`, '*']);
  return {
    request: { ...request, headers: { ...request.headers, 'if-none-match': condition } },
    faults: ({ status }) => unless(status === 304, `not modified, but ${status}`),
  };
}

/** Requests the next page, whose limit may differ from that of the page before. */
function nextPage(request: FuzzRequest, cursor: string, random: Random): FollowUp {
  return {
    request: withMembers(request, { cursor, limit: 1 + random.below(50) }),
    faults: ({ status }) => unless(status === 200, `the next page is ${status}`),
  };
}

function altered(request: FuzzRequest, cursor: string, random: Random): FollowUp {
  // Not the last character: some of its bits may be unused.
  const at = random.below(cursor.length - 1);
  const other = cursor[at] === 'A' ? 'B' : 'A';
  const changed = `${cursor.slice(0, at)}${other}${cursor.slice(at + 1)}`;
  return {
    request: withMembers(request, { cursor: changed }),
    faults: ({ status, body }) =>
      unless(status === 400 && body.includes('invalid-cursor'), 'an altered cursor is taken'),
  };
}

function cursorOf({ headers, body }: Delivered): string | undefined {
  if (headers['x-next-cursor'] !== undefined) return headers['x-next-cursor'];
  if (!headers['content-type']?.startsWith('application/json')) return undefined;
  return JSON.parse(body.toString()).next_cursor ?? undefined;
}

/** The request with other members of its query, or of its body where it has one. */
function withMembers(request: FuzzRequest, members: Record<string, string | number>): FuzzRequest {
  if (request.body !== undefined) {
    return { ...request, body: JSON.stringify({ ...JSON.parse(request.body), ...members }) };
  }
  const { pathname, searchParams } = new URL(request.path, 'http://service');
  for (const [name, value] of Object.entries(members)) searchParams.set(name, String(value));
  return { ...request, path: `${pathname}?${searchParams}` };
}

function unless(isRight: boolean, fault: string): string[] {
  return isRight ? [] : [fault];
}
