import { deserialize } from 'flatgeobuf/lib/mjs/geojson.js';
import type { Feature } from 'geojson';
import { messageOf } from '../error-facts.ts';
import { ShardError } from '../errors.ts';
import type { ObjectRef, Store } from '../store/store.ts';
import { type Finding, findFaults } from './finding.ts';
import { sameIds } from './row-rules.ts';
import type { Verification } from './verification.ts';

interface LayerFeature {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly geometry: Feature['geometry'];
}

/**
 * Reads all features of a FlatGeobuf layer with the reference library, independently of the
 * service's reader. Throws a `ShardError` for unreadable data.
 */
export async function* featuresOf(store: Store, ref: ObjectRef): AsyncGenerator<LayerFeature> {
  const bytes = await store.readRange(ref, 0, ref.bytes);
  let read = 0;
  try {
    for await (const { properties, geometry } of deserialize(bytes)) {
      read++;
      yield { properties: properties ?? {}, geometry: geometry as Feature['geometry'] };
    }
  } catch (error) {
    const problem = messageOf(error);
    throw new ShardError(ref.name, `feature ${read}`, problem);
  }
}

/**
 * Verifies that a sound map shows what a table lists, by an id that is a property of each feature.
 * `listed`: the ids, ascending; null if the table is unreadable.
 */
export async function* verifyFeatures(
  verification: Verification,
  mapRef: ObjectRef,
  property: string,
  listed: ArrayLike<number> | null,
  table: ObjectRef,
): AsyncGenerator<Finding> {
  if (!verification.isSound(mapRef)) return;
  yield* findFaults(mapRef.name, async (findings) => {
    const drawn: number[] = [];
    for await (const { properties } of featuresOf(verification.release.store, mapRef)) {
      drawn.push(Number(properties[property]));
    }
    drawn.sort((a, b) => a - b);
    if (listed && !sameIds(drawn, listed)) {
      findings.add('features', () => `${drawn.length}, not the ${listed.length} of ${table.name}`);
    }
  });
}
