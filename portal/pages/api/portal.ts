import { onDemand } from '../../../shards/concurrency/on-demand.ts';
import type { NextPage } from '../../page-paths.ts';
import type {
  Account,
  Activity,
  Device,
  Key,
  NewBrowserToken,
  NewKey,
  PortalConfig,
  UsageDay,
} from '../../responses.ts';
import { Fault, NO_RESPONSE, sentence } from './fault.ts';
import { useLoaded } from './use-loaded.ts';

const TIMEOUT_MS = 20_000;

let csrf: Promise<{ csrf: string }> | undefined;
let token: { readonly text: Promise<string>; readonly untilMs: number } | undefined;

/** The portal's configuration, loaded once; after a failure, the next call loads it again. */
export const portalConfig = onDemand(() => get<PortalConfig>('/config.json'));

/** Requests a mail with a code and a link; the link continues to `next`. */
export const requestCode = (email: string, next: NextPage) =>
  post('/auth/request', { email, next });
export const account = () => get<Account>('/account');
export const keys = async () => (await get<{ keys: Key[] }>('/keys')).keys;
export const devices = async () => (await get<{ sessions: Device[] }>('/sessions')).sessions;
export const activity = async () => (await get<{ entries: Activity[] }>('/audit')).entries;
export const usage = async (from: string, to: string) =>
  (await get<{ days: UsageDay[] }>(`/usage?from=${from}&to=${to}`)).days;

/** Signs in: the browser then has the session cookie. */
export async function verifyCode(email: string, code: string): Promise<Account> {
  const response = await post('/auth/verify-code', { email, code });
  forgetSession();
  return response.json();
}

export async function signOut(): Promise<void> {
  await change('POST', '/auth/logout');
  forgetSession();
}

/**
 * How long a browser token is used: it is valid for ten minutes, and a request needs some time to
 * arrive.
 */
const TOKEN_USE_MS = 9 * 60_000;

/** The session's browser token, with which pages send requests to the API; kept in memory only. */
export function browserToken(): Promise<string> {
  if (token === undefined || Date.now() >= token.untilMs) {
    const text = mintBrowserToken();
    text.catch(forgetBrowserToken);
    token = { text, untilMs: Date.now() + TOKEN_USE_MS };
  }
  return token.text;
}

async function mintBrowserToken(): Promise<string> {
  const response = await change('POST', '/browser-tokens', { origin: location.origin });
  const minted: NewBrowserToken = await response.json();
  return minted.token;
}

/** Drops a browser token that the API has refused, such as one of an ended session. */
export function forgetBrowserToken(): void {
  token = undefined;
}

function forgetSession(): void {
  csrf = undefined;
  token = undefined;
}

export const createKey = async (label: string): Promise<NewKey> =>
  (await change('POST', '/keys', { label })).json();
export const revokeKey = (id: string) => change('DELETE', `/keys/${encodeURIComponent(id)}`);
export const endSession = (id: string) => change('DELETE', `/sessions/${encodeURIComponent(id)}`);
export const closeAccount = () => change('DELETE', '/account');

/** Returns the address of the page for buying a membership. */
export const subscribe = () => addressFrom('/billing/subscribe');
export const buyPack = (id: string) => addressFrom('/billing/packs', { pack_id: id });
/** Returns the address of the page for managing membership, cards and invoices. */
export const manageBilling = () => addressFrom('/billing/portal');

async function addressFrom(path: string, body?: object): Promise<string> {
  const response: { checkout_url?: string; portal_url?: string } = await (
    await change('POST', path, body)
  ).json();
  const address = response.checkout_url ?? response.portal_url;
  if (address === undefined) throw new Fault('no-address', 'The payment page is unavailable.');
  return address;
}

async function get<Body>(path: string): Promise<Body> {
  return (await send('GET', path)).json();
}

function post(path: string, body: object): Promise<Response> {
  return send('POST', path, body);
}

/**
 * Sends a change to the account, with the CSRF token that proves that the request comes from this
 * site.
 */
async function change(method: 'POST' | 'DELETE', path: string, body?: object): Promise<Response> {
  const attempt = async () => {
    csrf ??= get<{ csrf: string }>('/auth/csrf');
    const token = await csrf.catch((error: unknown) => {
      csrf = undefined;
      throw error;
    });
    return send(method, path, body, { 'x-csrf-token': token.csrf });
  };
  try {
    return await attempt();
  } catch (error) {
    // The user signed in again in another tab, so the session has a new token.
    if (!(error instanceof Fault) || error.slug !== 'invalid-csrf-token') throw error;
    csrf = undefined;
    return attempt();
  }
}

/**
 * Sends a request; throws a `Fault` unless it succeeds, including if there is no response within
 * twenty seconds.
 */
async function send(
  method: string,
  path: string,
  body?: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const json = body && { body: JSON.stringify(body) };
  const type = body && { 'content-type': 'application/json' };
  const init = { method, headers: { ...headers, ...type }, ...json };
  const response = await fetch(path, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(
    () => {
      throw new Fault('unreachable', NO_RESPONSE);
    },
  );
  if (response.ok) return response;
  const problem: { type?: string; detail?: string } = await response.json().catch(() => ({}));
  const slug = problem.type?.split('/').at(-1) ?? `status-${response.status}`;
  const detail = problem.detail ?? `The service responded with status ${response.status}.`;
  throw new Fault(slug, sentence(detail), Number(response.headers.get('retry-after')) || 0);
}

/** URL of the API; `null` until it is known. */
export function useApiAddress(): string | null {
  return useLoaded(portalConfig).value?.api_url ?? null;
}
