import path from 'node:path';
import { expect, test } from 'vitest';
import { buildRelease } from '../../builder/build.ts';
import { silent } from '../../builder/progress.ts';
import { writeDemoCity } from '../../infra/demo/write-demo-city.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { openProxy } from '../support/proxy-harness.ts';
import { folderOfThisTest } from '../support/temporary-folder.ts';

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  example?: unknown;
  schema: { example?: unknown; examples?: unknown[] };
}

interface PathItem {
  get?: { parameters?: Parameter[] };
  post?: { requestBody: { content: { 'application/json': { example: object } } } };
}

/** What a request cannot do without, beside what is required. */
const ALTERNATIVES: Record<string, readonly string[][]> = {
  '/v1/pois': [['bbox'], ['lat', 'lon', 'radius_m']],
  '/v1/isochrone': [
    ['block', 'minutes'],
    ['lat', 'lon', 'minutes'],
  ],
};

test('the examples of the OpenAPI document have answers in the demo city of npm start', async () => {
  const folder = await folderOfThisTest();
  const city = await writeDemoCity(
    { blocks: 2_000, seed: 1, out: path.join(folder, 'city') },
    silent,
  );
  const store = new FolderStore(path.join(folder, 'store'));
  const inputs = { osm: [city.osm], blocks: city.blocks, gtfs: [city.gtfs], places: [city.places] };
  await buildRelease({ ...inputs, counties: [], release: 'demo' }, store, silent);
  await store.close();
  const proxy = await openProxy(path.join(folder, 'store'));
  const { key } = await proxy.customer();

  const { paths } = (await proxy.get('/openapi.json')).json();
  const unanswered: string[] = [];
  for (const [template, { get, post }] of Object.entries<PathItem>(paths)) {
    if (get) {
      for (const chosen of ALTERNATIVES[template] ?? [[]]) {
        const url = exampleUrl(template, get.parameters ?? [], chosen);
        const { statusCode } = await proxy.get(url, key);
        if (statusCode !== 200) unanswered.push(`GET ${url}: ${statusCode}`);
      }
    }
    if (post) {
      const { example } = post.requestBody.content['application/json'];
      const answer = await proxy.post(template, key, example);
      const { results = [], errors = [] } = answer.json();
      if (results.length === 0 || errors.length > 0)
        unanswered.push(`POST ${template}: ${answer.body.slice(0, 200)}`);
    }
  }
  await proxy.close();
  expect(unanswered).toEqual([]);
});

function exampleUrl(template: string, parameters: readonly Parameter[], chosen: readonly string[]) {
  const query = new URLSearchParams();
  let url = template;
  for (const { name, in: where, required, example, schema } of parameters) {
    const value = String(example ?? schema.example ?? schema.examples?.[0]);
    if (where === 'path') url = url.replace(`{${name}}`, encodeURIComponent(value));
    if (where === 'query' && (required || chosen.includes(name))) query.set(name, value);
  }
  return `${url}?${query}`;
}
