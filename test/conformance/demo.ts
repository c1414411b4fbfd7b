import path from 'node:path';
import { afterAll, beforeAll, inject } from 'vitest';
import { Api } from './api.ts';
import {
  type NaiveBlock,
  type NaivePlace,
  type NaivePoi,
  type NaiveRelease,
  readNaiveRelease,
} from './naive-release.ts';

/** A location without data: the middle of the Atlantic. */
export const OPEN_SEA = { lon: -40, lat: 30 };
/** A well-formed GEOID in a county of the release, but not of one of its blocks. */
export const NO_SUCH_BLOCK = '990019999999999';
/** A well-formed GEOID in a county that the release lacks. */
export const BLOCK_ELSEWHERE = '010010001001000';
export const NO_SUCH_POI = 1;
export const NO_SUCH_PLACE = '0100001';
/** GEOID of the demo city, which covers its whole county. */
export const PORT_MERIDIAN = '9957600';

/** A proxy on the demo release, the release as plain arrays, and some of its contents. */
export interface Demo {
  readonly api: Api;
  readonly release: NaiveRelease;
  /** The version of the release. */
  readonly version: string;
  /** A block in the middle of the city. */
  readonly block: NaiveBlock;
  /** A block of open water: no mode can be routed from it. */
  readonly water: NaiveBlock;
  readonly poi: NaivePoi;
  readonly place: NaivePlace;
}

type ApiOptions = Parameters<typeof Api.open>[0];

/** Opens a demo for the tests of a file or enclosing `describe`, and closes it after them. */
export function demoOfTests(options: () => ApiOptions = () => ({})): Demo {
  const demo: Partial<Demo> = {};
  beforeAll(async () => void Object.assign(demo, await openDemo(options())));
  afterAll(() => demo.api?.close());
  return demo as Demo;
}

/** The demo release as plain arrays, read once for all files that share their modules. */
let naive: Promise<NaiveRelease> | undefined;

export async function openDemo(options: ApiOptions = {}): Promise<Demo> {
  const api = await Api.open(options);
  naive ??= readNaiveRelease(
    api.proxy.releases.current,
    inject('demoStore'),
    path.join(inject('demoCity'), 'places', 'tl_99_place.zip'),
  );
  const release = await naive;
  const routable = release.blocks.filter((block) => block.isRoutable);
  const block = routable[Math.floor(routable.length / 2)];
  const [{ dest_id }] = release.times.get(block.geoid)!;
  return {
    api,
    release,
    version: api.proxy.releases.current.version,
    block,
    water: release.blocks.find((one) => one.land_area_m2 === 0)!,
    poi: release.pois.find((one) => one.dest_id === dest_id)!,
    place: release.places.find((one) => one.geoid === PORT_MERIDIAN)!,
  };
}

/** Opens another proxy on a demo for all tests of a file, and closes it after them. */
export function otherProxyOfTests(demo: Demo, options: ApiOptions = {}): Demo {
  const other: Partial<Demo> = {};
  beforeAll(async () => void Object.assign(other, demo, { api: await Api.open(options) }));
  afterAll(() => other.api?.close());
  return other as Demo;
}

/** Opens another proxy on a demo, fresh or configured differently, while `use` runs. */
export async function withProxy(
  demo: Demo,
  options: ApiOptions,
  use: (other: Demo) => Promise<void>,
): Promise<void> {
  const api = await Api.open(options);
  try {
    await use({ ...demo, api });
  } finally {
    await api.close();
  }
}
