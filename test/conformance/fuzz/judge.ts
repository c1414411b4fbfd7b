import { PROBLEM_STATUS } from '../problems.ts';
import { type Delivered, worthOf } from './worth.ts';

/** No error is longer. */
export const MOST_ERROR_BYTES = 16 * 1024;

const BODILESS = [204, 304];
const INTERNAL = /node_modules|\.[jt]s:\d|\bat \S+ \(|FST_/;
/** What HEAD would give away of an answer that it does not pay for. */
const GIVES_AWAY = ['content-length', 'link', 'x-next-cursor', 'x-resolved-block'];

/** What is wrong with an answer, whatever was asked; nothing, as a rule. */
export function faultsOf(answer: Delivered): string[] {
  const { method, status, headers, body, route } = answer;
  const faults: string[] = [];
  if (!headers['x-request-id']) faults.push('no X-Request-Id');
  if (status >= 500) faults.push(`a ${status}`);
  if (status >= 400 && method !== 'HEAD') faults.push(...problemFaults(answer));
  if ((BODILESS.includes(status) || method === 'HEAD') && body.length > 0) faults.push('a body');
  if (status >= 300 && chargedFor(headers) !== 0) faults.push('a charge for no answer');
  const isMetered = headers['x-tokens-cost'] !== undefined;
  if (method === 'HEAD' && status === 200 && isMetered) {
    for (const name of GIVES_AWAY) if (headers[name]) faults.push(`HEAD tells ${name}`);
  }
  try {
    const worth = worthOf(answer);
    if (worth !== chargedFor(headers)) {
      faults.push(`${chargedFor(headers)} charged for what is worth ${worth} on ${route}`);
    }
  } catch (error) {
    faults.push(`its rows cannot be read: ${error}`);
  }
  return faults;
}

export function chargedFor(headers: Delivered['headers']): number {
  return Number(headers['x-tokens-charged'] ?? 0);
}

function problemFaults({ status, headers, body }: Delivered): string[] {
  if (!headers['content-type']?.startsWith('application/problem+json')) {
    return [`an error as ${headers['content-type']}`];
  }
  if (body.length > MOST_ERROR_BYTES) return [`an error of ${body.length} bytes`];
  const text = body.toString();
  if (INTERNAL.test(text)) return ['an error that shows what is inside'];
  try {
    const problem = JSON.parse(text);
    const slug = new URL(problem.type).pathname.split('/').at(-1) ?? '';
    const told = (PROBLEM_STATUS as Readonly<Record<string, number>>)[slug];
    if (told !== status || problem.status !== status) return [`${slug} with ${status}`];
    if (typeof problem.title !== 'string' || problem.title === '') return ['an error untitled'];
    if (slug === 'invalid-parameters' && !(problem.errors?.length > 0)) return ['no errors told'];
    return [];
  } catch {
    return ['an error that is no problem document'];
  }
}
