import type { Neighbourhood } from '../../../shards/addresses/address-table.ts';
import {
  parseStreetName,
  type StreetName,
  wordsOf,
} from '../../../shards/addresses/street-name.ts';
import { geoidFromNumber } from '../../../shards/geoid.ts';
import type { Release } from '../../../shards/release/release.ts';
import type { ObjectRef } from '../../../shards/store/store.ts';
import { type Bytes, MICRO } from '../../../shards/units.ts';
import type { AddressReading } from './read-address.ts';
import { SpellingIndex } from './spelling-index.ts';
import { type Match, nameQuality } from './street-matches.ts';

export interface CountyObject {
  readonly release: Release;
  readonly ref: ObjectRef;
  readonly headBytes: Bytes;
}

/**
 * The neighbourhoods of a county that a text without a house number may name. Their names are taken
 * apart as those of streets are, `Fells Point` as a name and a suffix, so that both are read and
 * misspelt alike. A text with another suffix names a street.
 */
export async function neighbourhoodMatches(
  county: CountyObject,
  reading: AddressReading,
): Promise<Match[]> {
  const { listed, index } = await namesOf(county);
  const { base, suffix } = reading.street;
  return index.find(base).flatMap(({ position, edits }) => {
    const { name, label, x, y, geoid } = listed[position];
    if (suffix !== '' && suffix !== name.suffix) return [];
    const quality = nameQuality(reading, name, edits);
    const at = { lat: y / MICRO, lon: x / MICRO, geoid: geoidFromNumber(geoid) };
    return [{ label, kind: 'neighbourhood', ...at, quality } as const];
  });
}

interface NamedNeighbourhood extends Neighbourhood {
  readonly name: StreetName;
}

/** The neighbourhoods of a county with their names in parts, kept with its streets. */
function namesOf({ release, ref, headBytes }: CountyObject) {
  return release.cachedFrom(ref, 'neighbourhoods', async () => {
    const { neighbourhoods } = await release.addresses(ref, headBytes);
    const listed = neighbourhoods.map((one): NamedNeighbourhood => {
      return { ...one, name: parseStreetName(wordsOf(one.label)) };
    });
    const index = await SpellingIndex.of(listed.map(({ name }) => name.base));
    return { value: { listed, index }, bytes: index.byteLength + 200 * listed.length };
  });
}
