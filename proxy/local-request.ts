import { addressed } from '../portal/client/src/sender.ts';
import type { Endpoint } from './endpoint.ts';
import type { ApiRequest } from './metering/principal.ts';

/**
 * A request made within this process, as a client would send it. `values`: parameters by name, or
 * the members of a body. `accept`: media type of the response; the route's default without one.
 */
export function localRequest(
  endpoint: Endpoint,
  values: Readonly<Record<string, unknown>>,
  accept?: string,
): ApiRequest {
  const headers = accept === undefined ? {} : { accept };
  const isPost = endpoint.access === 'posted';
  const [url, body] = addressed(endpoint.path, values, !isPost);
  if (isPost) {
    return { method: 'POST', url, headers, params: {}, query: {}, body: Buffer.from(body!) };
  }
  const params: Record<string, string> = {};
  const query: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(values)) {
    const texts = [value].flat().filter(isPresent).map(String);
    if (Object.hasOwn(endpoint.params.shape, name)) [params[name]] = texts;
    else if (texts.length > 0) query[name] = texts.length === 1 ? texts[0] : texts;
  }
  return { method: 'GET', url, headers, params, query };
}

function isPresent(value: unknown): boolean {
  return value !== null && value !== undefined;
}
