import { localDistance } from '../../../../../shards/geometry/wgs84.ts';
import type { DataOf } from '../../../../client/src/index.ts';
import { count, counted, percent } from '../../../formats.ts';
import { FileButton } from '../../../parts/file-button.tsx';
import { Paid } from '../../paid/paid.tsx';
import { Switch } from '../../panels/choices.tsx';
import { SumsTable } from '../../panels/sums-table.tsx';
import { degrees, type Point } from '../../state/codecs.ts';
import { useMap } from '../../state/map-context.ts';
import type { MapState } from '../../state/map-state.ts';
import type { Site } from '../../state/sites.ts';
import type { MeasuredSites } from '../map-view.ts';

type SitesCoverage = DataOf<'measureSites'>;

const COLOURED: readonly (readonly [MapState['sitesColoured'], string])[] = [
  ['nearest', 'Minutes to the nearest'],
  ['overlap', 'Sites near'],
];

/** Sums near the sites, those of each site and candidate, the best candidates, and the colours. */
export function SitesResults(props: {
  readonly coverage: SitesCoverage;
  readonly unit: string;
  /** Name of the chosen area; null for everyone in reach. */
  readonly areaName: string | null;
}) {
  const { coverage, unit, areaName } = props;
  const { state } = useMap();
  const { within } = state.sitesBy;
  const { results, sites, gains, chosen, area } = coverage;
  const [sums] = results;
  const near = sums.within[within];
  const share = (of: number) => (sums.total === 0 ? '' : percent(of / sums.total));
  const csv = async () => {
    const { sitesCsv } = await import('./sites-files.ts');
    return new Blob([sitesCsv(coverage, state)], { type: 'text/csv' });
  };
  return (
    <>
      {areaName === null ? (
        <p class="figure">
          <strong>
            {count(near)} {unit}
          </strong>{' '}
          are within {within} minutes of a site. For their share, choose an area.
        </p>
      ) : (
        <p class="figure">
          <strong>{share(near)}</strong> of {count(sums.total)} {unit} in {areaName} are within{' '}
          {within} minutes of a site
        </p>
      )}
      <p class="quiet">
        Counted: {counted(area.blocks, 'block')} in{' '}
        {area.counties.length === 1 ? 'county' : 'counties'} {area.counties.join(', ')}.
      </p>
      {areaName !== null && (
        <SumsTable
          caption="By minutes to the nearest site"
          heads={['Nearest site', unit, 'Share']}
          rows={[
            { name: `within ${within} min`, figures: [count(near), share(near)] },
            { name: `over ${within} min`, figures: [count(sums.beyond), share(sums.beyond)] },
            { name: 'no street near', figures: [count(sums.no_data), share(sums.no_data)] },
          ]}
        />
      )}
      <BySite
        caption={`Near each site, within ${within} min`}
        heads={['Site', unit, 'also near another']}
        rows={sites.map((one) => ({
          name: one.id,
          figures: [count(one.within[within]), count(one.overlap[within])],
        }))}
        errors={coverage.errors.filter(({ list }) => list === 'sites')}
      />
      <BySite
        caption={`Each candidate would add, within ${within} min`}
        heads={['Candidate', unit]}
        rows={gains
          .toSorted((a, b) => b.gain[within] - a.gain[within])
          .map((one) => ({ name: one.id, figures: [count(one.gain[within])] }))}
        errors={coverage.errors.filter(({ list }) => list === 'candidates')}
      />
      {chosen.length > 0 && (
        <SumsTable
          caption={`Best order to build, within ${within} min`}
          heads={['Add', 'gain', 'total within']}
          rows={chosen.map(({ id, gain, total_within }) => ({
            name: id,
            figures: [count(gain), count(total_within)],
          }))}
        />
      )}
      <Uncovered coverage={coverage} />
      <p class="quiet">Times run from block to block, in whole minutes.</p>
      <p class="take-along">
        <FileButton label="CSV" name="people-near-sites.csv" make={csv} />
      </p>
    </>
  );
}

/** Places where many people have no site near, which become candidates with one click. */
function Uncovered({ coverage }: { readonly coverage: SitesCoverage }) {
  const { state, change } = useMap();
  const { sites, sitesBy } = state;
  const places = spread(coverage.uncovered, sites);
  if (places.length === 0) return null;
  const [{ block, count: people }] = places;
  const candidates = places.map(
    ({ block, lat, lon }): Site => ({
      id: block,
      lat: degrees(lat),
      lon: degrees(lon),
      isCandidate: true,
    }),
  );
  return (
    <p>
      Over {sitesBy.within} minutes away: {counted(people, 'person', 'people')} in block {block}
      {places.length > 1 && ', and others'}.{' '}
      <button
        type="button"
        class="button button-small"
        onClick={() => change({ sites: [...sites, ...candidates] })}
      >
        Try {counted(places.length, 'such block')} as{' '}
        {places.length > 1 ? 'candidates' : 'a candidate'}
      </button>
    </p>
  );
}

const MAX_PLACES = 12;
/** Candidates that are closer to each other than this would add much the same. */
const APART_METRES = 800;

/** The blocks with most people, apart from each other and from what is a candidate already. */
function spread(
  blocks: SitesCoverage['uncovered'],
  sites: readonly Site[],
): SitesCoverage['uncovered'] {
  const taken: Point[] = sites.filter(({ isCandidate }) => isCandidate);
  const places: SitesCoverage['uncovered'] = [];
  for (const one of blocks) {
    const isApart = taken.every(
      ({ lat, lon }) => localDistance(lon, lat, one.lon, one.lat) > APART_METRES,
    );
    if (one.count === 0 || !isApart || places.length === MAX_PLACES) continue;
    taken.push(one);
    places.push(one);
  }
  return places;
}

/** Colours of the blocks by minutes to the nearest site, or by how many sites are near. */
export function SitesColours({ colours, reaches }: Pick<MeasuredSites, 'colours' | 'reaches'>) {
  const { state, change } = useMap();
  if (colours === null) return null;
  return (
    <>
      <Paid request={colours} label="Color the blocks" />
      {reaches !== null && (
        <Switch
          label="Color blocks by"
          name="sites-coloured"
          values={COLOURED}
          chosen={state.sitesColoured}
          onChoose={(next) => change({ sitesColoured: next })}
        />
      )}
    </>
  );
}

/** A table of sites or candidates, also those that cannot be placed; nothing if there are none. */
function BySite(props: {
  readonly caption: string;
  readonly heads: readonly string[];
  readonly rows: Parameters<typeof SumsTable>[0]['rows'];
  readonly errors: SitesCoverage['errors'];
}) {
  const { caption, heads, rows, errors } = props;
  if (rows.length + errors.length === 0) return null;
  const unplaced = errors.map(({ id, type }) => ({
    name: id,
    figures: heads.slice(1).map((_, i) => (i === 0 ? REASONS[type] : '')),
  }));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section class="block-rows" aria-label={caption} tabIndex={0}>
      <SumsTable caption={caption} heads={heads} rows={[...rows, ...unplaced]} />
    </section>
  );
}

/** Why a site is left out. */
const REASONS: Readonly<Record<SitesCoverage['errors'][number]['type'], string>> = {
  'address-not-found': 'address not found',
  'point-not-covered': 'outside the data',
  'block-not-found': 'no such block',
  'no-block-data': 'no street near',
};
