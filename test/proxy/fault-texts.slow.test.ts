import { expect, test } from 'vitest';
import { ENDPOINTS } from '../../proxy/endpoints/index.ts';
import { proxyOfTests } from '../support/proxy-harness.ts';

const proxy = proxyOfTests();

/** Values that most parameters refuse. */
const TEXTS = ['', '?', '9900', '-1', '1e9', 'UPPER CASE'];
const VALUES = [...TEXTS, 0.5, -1, true, null, [], ['?'], [{}], {}, { '?': 1 }];

/** Words of Zod for programmers, which senders of requests must not see. */
const OF_ZOD = /Invalid (string|input|option|key)|Unrecognized key|Too (big|small)|pattern|\/\^/;

/** Requests to a route with one wrong value each. */
function wrongRequests(endpoint: (typeof ENDPOINTS)[number]): { url: string; body?: object }[] {
  const { path } = endpoint;
  if (endpoint.access === 'posted') {
    return Object.keys(endpoint.body.shape).flatMap((name) =>
      VALUES.map((value) => ({ url: path, body: { [name]: value } })),
    );
  }
  return TEXTS.map(encodeURIComponent).flatMap((text) => {
    const url = path.replaceAll(/\{\w+\}/g, text);
    const queries = Object.keys(endpoint.query.shape).map((name) => `?${name}=${text}`);
    return ['', ...queries].map((query) => ({ url: url + query }));
  });
}

test.each(ENDPOINTS.map((one) => [one.path, one] as const))(
  '%s states what is wrong with a value in words, never as a pattern',
  async (_, endpoint) => {
    for (const { url, body } of wrongRequests(endpoint)) {
      const response = body
        ? await proxy.post(url, proxy.key, body)
        : await proxy.get(url, proxy.key);
      if (response.statusCode === 400) expect(response.json().detail, url).not.toMatch(OF_ZOD);
    }
  },
);
