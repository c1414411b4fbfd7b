import { createHash } from 'node:crypto';
import { StoreError } from '../../shards/errors.ts';
import {
  COUNTY_OBJECT_KINDS,
  type CountyManifest,
  type CountyObjectKind,
  LATEST,
  type Latest,
  latestSchema,
  type Manifest,
  manifestSchema,
} from '../../shards/manifest.ts';
import type { ObjectRef, WritableStore } from '../../shards/store/store.ts';
import type { CountyFips } from '../../shards/units.ts';
import type { CountyObjects } from '../county/county-objects.ts';

const EXTENSIONS: Readonly<Record<CountyObjectKind, string>> = {
  index: 'tta',
  nearest: 'tta',
  pois: 'tta',
  blocks: 'fgb',
};

/** How many hex digits of an object's SHA-256 its name carries; the manifest has them all. */
const NAME_HASH_DIGITS = 16;

/** Writes a county's objects under names that carry their hashes; those already there stay. */
export async function putCounty(
  store: WritableStore,
  county: CountyFips,
  built: CountyObjects,
): Promise<CountyManifest> {
  const refs: Partial<Record<CountyObjectKind, ObjectRef>> = {};
  for (const kind of COUNTY_OBJECT_KINDS) {
    refs[kind] = await putObject(store, `${kind}/${county}`, EXTENSIONS[kind], built.objects[kind]);
  }
  return {
    blocks: built.blocks,
    population: built.population,
    routable_blocks: built.routableBlocks,
    objects: refs as CountyManifest['objects'],
  };
}

async function putObject(
  store: WritableStore,
  stem: string,
  extension: string,
  bytes: Uint8Array,
): Promise<ObjectRef> {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const name = `${stem}-${sha256.slice(0, NAME_HASH_DIGITS)}.${extension}`;
  await store.putIfAbsent(name, bytes);
  return { name, bytes: bytes.length, sha256 };
}

/**
 * Makes a release the current one: its manifest is written, then `latest.json` is swapped to it.
 * Until the swap, readers see the release before. Publishing what is already current changes
 * nothing, not even the time of publication.
 */
export async function publishManifest(
  store: WritableStore,
  manifest: Manifest,
  now: Date,
): Promise<Latest> {
  const bytes = Buffer.from(JSON.stringify(manifestSchema.parse(manifest)));
  const { name, sha256 } = await putObject(store, `manifests/${manifest.release}`, 'json', bytes);
  const current = await store.readWhole(LATEST).catch((error) => {
    if (error instanceof StoreError && error.failure === 'missing') return null;
    throw error;
  });
  const latest: Latest = {
    release: manifest.release,
    manifest: name,
    sha256,
    published_at: now.toISOString(),
  };
  if (current) {
    const before = latestSchema.parse(JSON.parse(Buffer.from(current.bytes).toString()));
    if (before.sha256 === sha256) return before;
  }
  await store.putConditional(
    LATEST,
    Buffer.from(`${JSON.stringify(latest, null, 2)}\n`),
    current?.identity ?? null,
  );
  return latest;
}
