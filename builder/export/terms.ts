import { byMode } from '../../shards/modes.ts';
import { licenceInWords } from '../../shards/release/feed-state.ts';
import type { Release } from '../../shards/release/release.ts';
import { FICTIONAL_STATE, stateFipsOf } from '../../shards/states.ts';

const CENSUS = 'U.S. Census Bureau';
const OPENSTREETMAP = '© OpenStreetMap contributors';
const INVENTED = 'none; the city is fictional, and all its data are invented';
const FREE = 'public domain';

/** Tables that contain no data from OpenStreetMap. */
const PUBLIC_DOMAIN: readonly string[] = ['places', 'types', 'weights'];

/** Whether all data are invented; lists of POIs may be real ones. */
function isFictional({ manifest: { counties, poi_lists } }: Release): boolean {
  const isInvented = (county: string) => stateFipsOf(county) === FICTIONAL_STATE;
  return poi_lists.length === 0 && Object.keys(counties).every(isInvented);
}

export function licenceOf(table: string, release: Release): string {
  return PUBLIC_DOMAIN.includes(table) || isFictional(release) ? FREE : 'ODbL-1.0';
}

/** The credits that a publication of any table has to show; a fictional city has none. */
export function attributionOf(release: Release): string {
  if (isFictional(release)) return INVENTED;
  const { manifest, weights } = release;
  const agencies = manifest.feeds.map(({ agency }) => agency);
  const lists = manifest.poi_lists.map(({ file }) => `POI list ${file}`);
  const sources = weights.slice(1).map(({ source }) => source);
  return [...new Set([OPENSTREETMAP, CENSUS, ...agencies, ...lists, ...sources])].join('; ');
}

export function citationOf({ manifest, version }: Release): string {
  const modes = manifest.modes.map(byMode).join(', ');
  return `Travel-Time Access Service, release ${manifest.release} (${version}): travel times from US census blocks ${modes}.`;
}

export function licenceText(tables: readonly string[], release: Release): string {
  if (isFictional(release)) {
    return `${tables.join(', ')}:
  in the public domain; the city is fictional, and all its data are invented.
`;
  }
  const open = tables.filter((table) => !PUBLIC_DOMAIN.includes(table));
  return `${open.join(', ')}:
  computed from OpenStreetMap, a Derived Database under the Open Database License (ODbL) 1.0,
  https://opendatacommons.org/licenses/odbl/1-0/. Credit "${OPENSTREETMAP}", keep this notice,
  and offer any database that you derive and use publicly under the same licence.

${PUBLIC_DOMAIN.join(', ')}:
  in the public domain, as far as this service is concerned; sources of weights are named in
  ATTRIBUTION.txt.

Transit times are also computed from the timetables of the agencies in ATTRIBUTION.txt, whose own
terms apply to the timetables; it names their licences where these are known. POI lists keep the
terms of their publishers; those of the Overture Maps Foundation are at
https://docs.overturemaps.org/attribution/.
`;
}

/** Lists the tables that are made from each source. */
export function attributionText(release: Release): string {
  const { manifest, weights } = release;
  const isInvented = isFictional(release);
  const lines = [
    ...(isInvented
      ? [`Sources to credit: ${INVENTED}. Its feeds, lists and weights are:`]
      : [
          `${OPENSTREETMAP}: nearest, nearest_wide, pois, reach, access, poi_catalogue; the columns *_linked of blocks`,
          `${CENSUS}, TIGER/Line and the 2020 census: blocks, places, people of weights`,
        ]),
    ...manifest.feeds.map(
      ({ agency, publisher, file, licence, service_date }) =>
        `${agency}, GTFS ${file}, ${service_date}: times by transit, stops of poi_catalogue; publisher: ${publisher ?? agency}; licence: ${licenceInWords(licence)}`,
    ),
    ...manifest.poi_lists.map(
      ({ file, sha256 }) =>
        `POI list ${file} (SHA-256 ${sha256}): POIs of poi_catalogue, and the times to them`,
    ),
    ...weights
      .slice(1)
      .map(
        ({ weight, label, source }) => `${isInvented ? 'invented' : source}: ${weight} (${label})`,
      ),
  ];
  return `${lines.join('\n')}\n\nCite as: ${citationOf(release)}\n`;
}
