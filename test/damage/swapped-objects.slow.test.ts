import path from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { Random } from '../../infra/demo/seeded-random.ts';
import { objectsNamed } from '../../shards/release/manifest.ts';
import { type ColdProxy, type HttpResponse, openColdProxy } from './cold-proxy.ts';
import { FlippingStore } from './flipping-store.ts';
import { type DamageRequest, requestsOf } from './requests-of-release.ts';

/** A store in which one object may have the content of another, brought to its own length. */
class SwappingStore extends FlippingStore {
  swap: { readonly name: string; readonly donor: string } | null = null;

  override async bytesOf(name: string): Promise<Buffer> {
    const own = await super.bytesOf(name);
    if (this.swap?.name !== name) return own;
    const foreign = Buffer.alloc(own.length);
    (await super.bytesOf(this.swap.donor)).copy(foreign);
    return foreign;
  }
}

interface Reader {
  readonly request: DamageRequest;
  readonly response: HttpResponse;
}

const SPREAD = { blocks: 4, pois: 4, archives: 3 };
const SEED = Math.floor(Math.random() * 2 ** 31);

const random = new Random(SEED);
const store = new SwappingStore(inject('demoStore'));
let proxy: ColdProxy;
/** The requests that read each object. */
const readers = new Map<string, Reader[]>();

beforeAll(async () => {
  proxy = await openColdProxy(store);
  const named = new Set(objectsNamed(proxy.release.manifest).map(({ name }) => name));
  for (const request of await requestsOf(proxy.release, random, SPREAD)) {
    proxy.chill();
    store.reads = [];
    const response = await proxy.ask(request);
    for (const name of new Set(store.reads.map(({ name }) => name))) {
      if (named.has(name)) readers.set(name, [...(readers.get(name) ?? []), { request, response }]);
    }
  }
});
afterAll(() => proxy.close());

const isRefusal = ({ status, body, charged }: HttpResponse) =>
  status === 503 && charged === 0 && body.includes('/store-unavailable"');

/** Every pair of an object and another of its format, which the extension of the name tells. */
function swaps(): { name: string; donor: string }[] {
  const names = [...readers.keys()];
  return names.flatMap((name) =>
    names
      .filter((donor) => donor !== name && path.extname(donor) === path.extname(name))
      .map((donor) => ({ name, donor })),
  );
}

const kindOf = (name: string) => path.dirname(name);

test('an object with the content of any other, of its length, is 503 uncharged to a server that has read nothing', async () => {
  const wrong: string[] = [];
  const met = new Set<string>();
  for (const swap of swaps()) {
    met.add(kindOf(swap.name));
    const { request } = random.pick(readers.get(swap.name)!);
    store.swap = swap;
    proxy.chill();
    const response = await proxy.ask(request);
    store.swap = null;
    if (isRefusal(response)) continue;
    wrong.push(`${swap.name} ← ${swap.donor}: ${request.url}: ${response.status}`);
  }
  expect(wrong, `seed ${SEED}`).toEqual([]);
  expect([...met]).toEqual(expect.arrayContaining(['nearest', 'pois', 'catchment', 'reach-from']));
  expect([...met]).toEqual(expect.arrayContaining(['nth-nearest', 'reach-to', 'transit', 'tiles']));
  expect([...met]).toEqual(expect.arrayContaining(['weights', 'index', 'blocks']));
});

test('to a server that has read the head of the object before, it is 503 uncharged or the same response', async () => {
  const wrong: string[] = [];
  for (const swap of swaps()) {
    const { request, response } = random.pick(readers.get(swap.name)!);
    proxy.chill();
    await proxy.ask(request);
    store.swap = swap;
    const now = await proxy.ask(request);
    store.swap = null;
    if (isRefusal(now) || (now.status === response.status && now.body.equals(response.body)))
      continue;
    wrong.push(`${swap.name} ← ${swap.donor}: ${request.url}: ${now.status}`);
  }
  expect(wrong, `seed ${SEED}`).toEqual([]);
});
