import { PLANS } from '../../../../../proxy/plans.ts';
import { localDistance } from '../../../../../shards/geometry/wgs84.ts';
import type { DataOf } from '../../../../client/src/index.ts';
import { count, counted, shareOf } from '../../../formats.ts';
import { FileButton } from '../../../parts/file-button.tsx';
import { type AreaBlocks, useCountiesInView, usePoiNames } from '../../blocks/area-blocks.ts';
import { anyOf } from '../../catalogue/type-nouns.ts';
import { Paid } from '../../paid/paid.tsx';
import { Switch } from '../../panels/choices.tsx';
import { SumsTable } from '../../panels/sums-table.tsx';
import { MarginNote } from '../../panels/words.tsx';
import type { Point } from '../../state/codecs.ts';
import { useMap } from '../../state/map-context.ts';
import type { MapState } from '../../state/map-state.ts';
import { type Site, withSite } from '../../state/sites.ts';
import type { MeasuredSites } from './sites-view.ts';

type SitesCoverage = DataOf<'measureSites'>;

/** Said of blocks without a street of the mode near, and of those outside the street data. */
const UNROUTED = 'cannot be routed';

const COLOURED: readonly (readonly [MapState['sitesColoured'], string])[] = [
  ['nearest', 'Minutes to the nearest'],
  ['overlap', 'Sites near'],
];

interface ResultsProps {
  readonly coverage: SitesCoverage;
  /** The chosen area; null for everyone in reach. */
  readonly area: AreaBlocks | null;
}

/** Sums near the sites, those of each site and candidate, the best candidates, and the colours. */
export function SitesResults(
  props: ResultsProps & {
    /** Measures with some candidates more. */
    readonly onTry: (sites: readonly Site[]) => void;
  },
) {
  const { coverage, onTry } = props;
  const { state, choice } = useMap();
  const csv = async () => {
    const { sitesCsv } = await import('./sites-files.ts');
    const sitesType = choice.sitesType?.id ?? null;
    return new Blob([sitesCsv(coverage, { ...state, sitesType })], { type: 'text/csv' });
  };
  return (
    <>
      <NearAny {...props} />
      <MarginNote margin={coverage.area.margin} />
      <Uncovered coverage={coverage} onTry={onTry} />
      <Candidates {...props} />
      {props.area !== null && <ByMinutes {...props} />}
      <NearEach {...props} />
      <p class="quiet">Times run from block to block, in whole minutes.</p>
      <p class="take-along">
        <FileButton label="CSV" name="people-near-sites.csv" make={csv} />
      </p>
    </>
  );
}

/** How many are near any site, and of how many. */
function NearAny({ coverage, area: chosen }: ResultsProps) {
  const { state, choice } = useMap();
  const { within } = state.sitesBy;
  const unit = choice.sitesUnit;
  const { results, sites, area, sites_from } = coverage;
  const one = choice.sitesType === null ? 'a site' : anyOf(choice.sitesType.name);
  const countyNames = new Map(useCountiesInView().map(({ code, name }) => [code, name]));
  const near = results[0].within[within];
  const counties = area.counties.map((code) => countyNames.get(code) ?? `county ${code}`);
  return (
    <>
      {chosen === null ? (
        <p class="figure">
          <strong>
            {count(near)} {unit}
          </strong>{' '}
          are within {within} minutes of {one}. For their share, choose an area.
        </p>
      ) : (
        <p class="figure">
          <strong>{shareOf(near, results[0].total)}</strong> of {count(results[0].total)} {unit} in{' '}
          {chosen.name} are within {within} minutes of {one}
        </p>
      )}
      <p class="quiet">
        Counted: {counted(area.blocks, 'block')} in {chosen?.name ?? counties.join('; ')}.
        {sites_from &&
          ` ${counted(sites.length, 'site')}, ${sites_from.outside} of them outside it.`}
      </p>
    </>
  );
}

/** The best candidates, in order, and what each would add. */
function Candidates({ coverage: { chosen, gains, errors } }: ResultsProps) {
  const { state, choice } = useMap();
  const { within } = state.sitesBy;
  return (
    <>
      {chosen.length > 0 && (
        <SumsTable
          caption={`Best of these ${counted(gains.length, 'candidate')}, within ${within} min`}
          heads={['Candidate', 'gain', 'total within']}
          rows={chosen.map(({ id, gain, total_within }) => ({
            name: id,
            figures: [count(gain), count(total_within)],
          }))}
        />
      )}
      <BySite
        caption={`Each candidate would add, within ${within} min`}
        heads={['Candidate', choice.sitesUnit]}
        rows={gains
          .toSorted((a, b) => b.gain[within] - a.gain[within])
          .map(({ id, gain }) => ({ name: id, figures: [count(gain[within])] }))}
        errors={errors.filter(({ list }) => list === 'candidates')}
      />
    </>
  );
}

function ByMinutes({ coverage }: ResultsProps) {
  const { state, choice } = useMap();
  const { within } = state.sitesBy;
  const [sums] = coverage.results;
  const row = (name: string, of: number) => {
    return { name, figures: [count(of), shareOf(of, sums.total)] };
  };
  return (
    <SumsTable
      caption="By minutes to the nearest site"
      heads={['Nearest site', choice.sitesUnit, 'Share']}
      rows={[
        row(`within ${within} min`, sums.within[within]),
        row(`over ${within} min`, sums.beyond),
        row(UNROUTED, sums.no_data),
      ]}
    />
  );
}

function NearEach({ coverage: { sites, errors }, area }: ResultsProps) {
  const { catalogue, state, choice } = useMap();
  const { within } = state.sitesBy;
  const pois = catalogue.poisOf(choice.sitesType?.leaves ?? [], []).map(({ url }) => url);
  const names = usePoiNames(pois, area, { mode: choice.mode, minutes: within });
  return (
    <BySite
      caption={`Near each site, within ${within} min`}
      heads={['Site', choice.sitesUnit, 'also near another']}
      rows={sites.map((one) => ({
        key: one.id,
        name: names.get(Number(one.id)) ?? one.id,
        figures: [count(one.within[within]), count(one.overlap[within])],
      }))}
      errors={errors.filter(({ list }) => list === 'sites')}
    />
  );
}

/** Places where many people have no site near, which are measured as candidates with one click. */
function Uncovered(props: {
  readonly coverage: SitesCoverage;
  readonly onTry: (sites: readonly Site[]) => void;
}) {
  const { coverage, onTry } = props;
  const { sites, sitesBy } = useMap().state;
  const places = spread(coverage.uncovered, sites);
  if (places.length === 0) return null;
  const { site, sites_minimum } = PLANS.charges;
  const all = coverage.sites.length + coverage.gains.length + places.length;
  const price = Math.max(sites_minimum, all * site);
  const candidates = places.reduce((so, at) => withSite(so, at, 'candidate'), sites);
  return (
    <p>
      {counted(coverage.results[0].beyond, 'person is', 'people are')} over {sitesBy.within} minutes
      away.{' '}
      <button
        type="button"
        class="button button-main paid-button"
        onClick={() => onTry(candidates)}
      >
        <span>
          {places.length === 1
            ? 'Try the block where most of them live'
            : `Try the ${places.length} blocks where most of them live`}
        </span>
        <span class="price">{counted(price, 'token')} at most</span>
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

const REASONS: Readonly<Record<SitesCoverage['errors'][number]['type'], string>> = {
  'address-not-found': 'address not found',
  'point-not-covered': 'outside the data',
  'block-not-found': 'no such block',
  'no-block-data': UNROUTED,
};
