import { PROBLEM_STATUS } from '../problems.ts';
import { NO_UTF8 } from './requests.ts';
import { type Delivered, isMetered, worthOf } from './worth.ts';

/** Upper bound on the length of an error response. */
export const MAX_ERROR_BYTES = 16 * 1024;

const BODILESS = [204, 304];
const TOKEN_HEADERS = ['x-tokens-charged', 'x-tokens-remaining'];
const INTERNAL = /node_modules|\.[jt]s:\d|\bat \S+ \(|fastify|FST_/i;
/** Headers by which HEAD would leak a response that it does not pay for. */
const GIVES_AWAY = ['content-length', 'link', 'x-next-cursor', 'x-resolved-block'];

/** The value of a response by its contents, and any errors in it, usually none. */
export function judge(response: Delivered): { worth: number; faults: string[] } {
  const { method, path, status, headers, body, route } = response;
  const faults: string[] = [];
  if (!headers['x-request-id']) faults.push('no X-Request-Id');
  // The probe says so, in a form of its own, where the store is slow, as on a busy machine.
  const isNotReady = route === '/v1/ready' && status === 503;
  if (status >= 500 && !isNotReady) faults.push(`a ${status}`);
  // A browser that asks for an unknown page of the documentation gets a page.
  const isPage = status === 404 && path.startsWith('/docs/') && isHtml(headers);
  const isProblem = status >= 400 && !isNotReady && !isPage;
  if (isProblem && method !== 'HEAD') faults.push(...problemFaults(response));
  if ((BODILESS.includes(status) || method === 'HEAD') && body.length > 0) faults.push('a body');
  if (mustStateBalance(response)) {
    const missing = TOKEN_HEADERS.filter((name) => !/^\d+$/.test(headers[name] ?? ''));
    faults.push(...missing.map((name) => `no ${name} with a ${status}`));
  }
  if (method === 'HEAD' && status === 200 && headers['x-tokens-cost'] !== undefined) {
    const given = GIVES_AWAY.filter((name) => headers[name] !== undefined);
    faults.push(...given.map((name) => `HEAD tells ${name}`));
  }
  const charged = chargedFor(headers);
  try {
    const worth = worthOf(response);
    if (worth !== charged) faults.push(`${charged} charged for what is worth ${worth} on ${route}`);
    return { worth, faults };
  } catch (error) {
    faults.push(`its rows cannot be read: ${error}`);
    return { worth: 0, faults };
  }
}

/** Whether a response must state the balance: its key was checked on a metered route. */
function mustStateBalance({ method, clientId, route, status, path, body }: Delivered): boolean {
  if (!clientId.isAdmitted || !isMetered({ route, clientId }) || method === 'OPTIONS') return false;
  // No such method or route, or an invalid URL: the key was not checked.
  const isNoUrl = path.includes(NO_UTF8) || path.split(/[/?]/).some((part) => part.length > 200);
  const isNoRoute = method === 'HEAD' ? status === 404 : body.includes('/not-found"');
  return status !== 405 && !isNoRoute && !isNoUrl;
}

function isHtml(headers: Delivered['headers']): boolean {
  return headers['content-type']?.startsWith('text/html') ?? false;
}

export function chargedFor(headers: Delivered['headers']): number {
  return Number(headers['x-tokens-charged'] ?? 0);
}

/** Reasons why an error is not a problem document of the contract; none if it is one. */
export function problemFaults({
  status,
  headers,
  body,
}: Pick<Delivered, 'status' | 'headers' | 'body'>): string[] {
  if (!headers['content-type']?.startsWith('application/problem+json')) {
    return [`an error as ${headers['content-type']}`];
  }
  if (body.length > MAX_ERROR_BYTES) return [`an error of ${body.length} bytes`];
  const text = body.toString();
  if (INTERNAL.test(text)) return ['an error that shows what is inside'];
  try {
    const problem = JSON.parse(text);
    const slug = new URL(problem.type).pathname.split('/').at(-1) ?? '';
    const reported = (PROBLEM_STATUS as Readonly<Record<string, number>>)[slug];
    if (reported !== status || problem.status !== status) return [`${slug} with ${status}`];
    if (typeof problem.title !== 'string' || problem.title === '') return ['an error untitled'];
    if (slug === 'invalid-parameters' && !(problem.errors?.length > 0)) return ['no errors told'];
    return [];
  } catch {
    return ['an error that is no problem document'];
  }
}
