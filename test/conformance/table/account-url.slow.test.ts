import { expect, test } from 'vitest';
import { type Call, expectOk, expectProblem } from '../api.ts';
import { demoOfTests } from '../demo.ts';

const ACCOUNT_URL = 'https://account.example.org';
const wrongKey = { authorization: `Bearer ta_live_${'0'.repeat(38)}` };

const demo = demoOfTests(() => ({ config: { accountUrl: `${ACCOUNT_URL}/` } }));

test('problems of a missing key, a wrong key and an empty balance have the portal address', async () => {
  const call: Call = { path: `/v1/blocks/${demo.block.geoid}/summary` };
  const post: Call = {
    method: 'POST',
    path: '/v1/blocks/summary',
    body: { origins: [demo.block.geoid] },
  };
  const broke = await demo.api.newCustomer({ tokens: 0 });
  for (const asked of [call, post]) {
    const missing = expectProblem(await demo.api.call({ ...asked, as: null }), 'missing-key');
    const wrong = await demo.api.call({ ...asked, as: null, headers: wrongKey });
    const exhausted = await demo.api.call({ ...asked, as: broke });
    expect([
      missing.account_url,
      expectProblem(wrong, 'invalid-key').account_url,
      expectProblem(exhausted, 'tokens-exhausted').account_url,
    ]).toEqual([ACCOUNT_URL, ACCOUNT_URL, ACCOUNT_URL]);
  }
});

test('the plans, the OpenAPI document and the pages of those problems have the portal address', async () => {
  expect(expectOk(await demo.api.get('/v1/plans')).account_url).toBe(ACCOUNT_URL);
  const { info, externalDocs, components } = expectOk(await demo.api.get('/openapi.json'));
  expect(info.description).toContain(ACCOUNT_URL);
  expect(externalDocs.url).toBe(ACCOUNT_URL);
  expect(components.securitySchemes.apiKey.description).toContain(ACCOUNT_URL);
  for (const slug of ['missing-key', 'invalid-key', 'tokens-exhausted']) {
    const { body } = await demo.api.get(`/problems/${slug}`, {}, { as: null });
    expect(body).toContain(`<a href="${ACCOUNT_URL}">`);
  }
});

test('other problems have no portal address', async () => {
  const refused = await demo.api.get('/v1/blocks/1/summary');
  expect(expectProblem(refused, 'invalid-parameters')).not.toHaveProperty('account_url');
});

const unset = demoOfTests();

test('without a portal address, plans have null and problems leave it out', async () => {
  expect(expectOk(await unset.api.get('/v1/plans')).account_url).toBe(null);
  const problem = expectProblem(await unset.api.get('/v1/tokens', {}, { as: null }), 'missing-key');
  expect(problem).not.toHaveProperty('account_url');
  expect(expectOk(await unset.api.get('/openapi.json'))).not.toHaveProperty('externalDocs');
});
