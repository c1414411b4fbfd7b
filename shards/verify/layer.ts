import { deserialize } from 'flatgeobuf/lib/mjs/geojson.js';
import type { Feature } from 'geojson';
import { messageOf } from '../error-facts.ts';
import { ShardError } from '../errors.ts';
import type { ObjectRef, Store } from '../store/store.ts';

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
