import path from 'node:path';
import { Random } from '../../infra/demo/seeded-random.ts';
import { ShardError, StoreError } from '../../shards/errors.ts';
import { objectsNamed } from '../../shards/release/manifest.ts';
import { LATEST } from '../../shards/store/store.ts';
import { type ColdProxy, type HttpResponse, openColdProxy } from './cold-proxy.ts';
import { type Flip, FlippingStore } from './flipping-store.ts';
import { CATALOGUE, type DamageRequest, requestsOf, type Spread } from './requests-of-release.ts';

/** The results of the flips of one kind of object. */
export interface KindOutcome {
  flips: number;
  /** Requests answered with exactly the bytes of the undamaged release. */
  equal: number;
  /** 503 `store-unavailable`, uncharged; or a release that a proxy rejects. */
  refused: number;
  /** Anything else: must not occur. */
  wrong: number;
}

export interface FlipReport {
  readonly kinds: ReadonlyMap<string, KindOutcome>;
  /** Kinds of objects that no request reads. */
  readonly unread: readonly string[];
  /** The first few errors, for manual inspection. */
  readonly wrong: readonly string[];
  /** The charges stated by all responses, and the amount that left the account. */
  readonly charged: number;
  readonly debited: number;
}

/** A request, its response on the undamaged release, and the bytes it read for that. */
interface Reader {
  readonly request: DamageRequest;
  readonly response: HttpResponse;
  readonly from: number;
  readonly to: number;
}

/** The share of flips in any byte of the object, whether or not a request reads it. */
const ANYWHERE = 0.25;
const TOLD = 10;

/**
 * Flips `flips` bytes of a store's release in turn, equally many in each kind of object, and
 * compares the responses of requests that read the byte with those of the undamaged release. Each
 * flip meets a cold proxy.
 */
export async function flipBytes(
  folder: string,
  flips: number,
  seed: number,
  spread: Spread,
): Promise<FlipReport> {
  const random = new Random(seed);
  const store = new FlippingStore(folder);
  const proxy = await openColdProxy(store);
  try {
    const readers = await readersOf(store, proxy, await requestsOf(proxy.release, random, spread));
    const namesOf = new Map<string, string[]>();
    for (const name of readers.keys()) {
      namesOf.set(kindOf(name), [...(namesOf.get(kindOf(name)) ?? []), name]);
    }
    const report = new Report();
    for (const each of new Set([...readers.values()].flat().map(({ response }) => response))) {
      report.charged += each.charged;
    }
    for (let i = 0; i < flips; i++) {
      const kind = [...namesOf.keys()][i % namesOf.size];
      const name = random.pick(namesOf.get(kind)!);
      const flip = flipOf(name, (await store.bytesOf(name)).length, readers.get(name)!, random);
      store.flip = flip;
      const outcome = report.of(kind);
      outcome.flips++;
      if (!(await takes(proxy, name))) {
        outcome.refused++;
        continue;
      }
      for (const { request, response } of maxTouched(readers.get(name)!, flip, random)) {
        report.compare(outcome, flip, request, response, await proxy.ask(request));
      }
    }
    const unread = objectsNamed(proxy.release.manifest)
      .filter(({ name }) => !namesOf.has(kindOf(name)))
      .map(({ name }) => kindOf(name));
    const debited = await proxy.debited();
    const { kinds, wrong, charged } = report;
    return { kinds, unread: [...new Set(unread)], wrong, charged, debited };
  } finally {
    await proxy.close();
  }
}

class Report {
  readonly kinds = new Map<string, KindOutcome>();
  readonly wrong: string[] = [];
  charged = 0;

  of(kind: string): KindOutcome {
    const known = this.kinds.get(kind) ?? { flips: 0, equal: 0, refused: 0, wrong: 0 };
    this.kinds.set(kind, known);
    return known;
  }

  compare(
    outcome: KindOutcome,
    { name, at, mask }: Flip,
    { method, url }: DamageRequest,
    before: HttpResponse,
    now: HttpResponse,
  ): void {
    this.charged += now.charged;
    const isProblem = now.status === 503 && now.body.includes('/store-unavailable"');
    if (isProblem && now.charged === 0) outcome.refused++;
    else if (now.status === before.status && now.body.equals(before.body)) outcome.equal++;
    else {
      outcome.wrong++;
      const where = `${name}, byte ${at} ^ ${mask}`;
      if (this.wrong.length < TOLD) this.wrong.push(`${where}: ${method} ${url}: ${now.status}`);
    }
  }
}

/**
 * Sends every request to the undamaged release once, cold; returns the requests that read each
 * object.
 */
async function readersOf(
  store: FlippingStore,
  proxy: ColdProxy,
  requests: readonly DamageRequest[],
): Promise<Map<string, Reader[]>> {
  const readers = new Map<string, Reader[]>();
  const add = (name: string, reader: Reader) => {
    const own = readers.get(name);
    if (own) own.push(reader);
    else readers.set(name, [reader]);
  };
  // Bytes read when a release is opened affect all responses, the catalogue's above all.
  const opened = [LATEST, proxy.release.latest.manifest];
  const lengths = await Promise.all(opened.map(async (name) => (await store.bytesOf(name)).length));
  for (const request of requests) {
    proxy.chill();
    store.reads = [];
    const response = await proxy.ask(request);
    if (response.status >= 400)
      throw new Error(`${request.url}: ${response.status} ${response.body}`);
    for (const { name, from, to } of store.reads) add(name, { request, response, from, to });
    if (!CATALOGUE.includes(request.url)) continue;
    for (const [i, name] of opened.entries())
      add(name, { request, response, from: 0, to: lengths[i] });
  }
  return readers;
}

/** Whether a proxy serves the store's current contents at all. */
async function takes(proxy: ColdProxy, damaged: string): Promise<boolean> {
  const { manifest } = proxy.release.latest;
  if (damaged !== LATEST && damaged !== manifest) {
    proxy.chill();
    return true;
  }
  try {
    await proxy.reopen();
    return true;
  } catch (error) {
    if (error instanceof ShardError || error instanceof StoreError) return false;
    throw error;
  }
}

const PUBLIC_KINDS: Readonly<Record<string, string>> = {
  '.tta': 'tile sums',
  '.bands': 'block bands',
};

/** The folder of an object; archives and their checksum files are counted separately. */
function kindOf(name: string): string {
  const folder = path.dirname(name);
  if (folder === 'tiles') return PUBLIC_KINDS[path.extname(name)] ?? 'tiles';
  return folder === '.' ? name : folder;
}

/** Picks any bits of a byte, or a single bit, which a loose check is most likely to miss. */
function flipOf(name: string, bytes: number, readers: readonly Reader[], random: Random): Flip {
  const mask = random.chance(0.5) ? 1 << random.below(8) : 1 + random.below(255);
  if (random.chance(ANYWHERE)) return { name, at: random.below(bytes), mask };
  const { from, to } = random.pick(readers);
  return { name, at: from + random.below(to - from), mask };
}

/**
 * Picks two requests: one of those that read the least around the byte, whose response is most
 * likely to depend on it, and any one that read the byte. If no request read the byte, picks any
 * one that read the object.
 */
function maxTouched(readers: readonly Reader[], { at }: Flip, random: Random): Reader[] {
  const touched = readers.filter(({ from, to }) => at >= from && at < to);
  if (touched.length === 0) return [random.pick(readers)];
  const least = Math.min(...touched.map(({ from, to }) => to - from));
  const closest = touched.filter(({ from, to }) => to - from === least);
  return [random.pick(closest), random.pick(touched)];
}
