import { count, percent } from '../../../formats.ts';
import { FileButton } from '../../../parts/file-button.tsx';
import { SumsTable } from '../../panels/sums-table.tsx';
import { COUNTED_MINUTES } from '../../state/map-state.ts';
import type { Site } from '../../state/sites.ts';
import { sitesCsv } from './sites-files.ts';
import type { SitesCoverage } from './sites-request.ts';

type Sums = Readonly<Record<string, unknown>>;

/**
 * Sums by minutes to the nearest site, sums of each site alone, gains of candidates, and the best
 * candidates.
 */
export function SitesResults(props: {
  readonly coverage: SitesCoverage;
  readonly points: readonly Site[];
  readonly unit: string;
}) {
  const { coverage, points, unit } = props;
  const { sites, gains, chosen, errors } = coverage;
  const [{ total, within, beyond, no_data }] = coverage.results;
  const csv = async () => new Blob([sitesCsv(coverage, points)], { type: 'text/csv' });
  const last = COUNTED_MINUTES.at(-1)!;
  const rows: (readonly [string, number])[] = [
    ...COUNTED_MINUTES.map((minutes) => [`within ${minutes} min`, sumAt(within, minutes)] as const),
    [`over ${last} min: not covered`, beyond],
    ['no street near', no_data],
  ];
  return (
    <>
      <SumsTable
        caption="By minutes to the nearest site"
        heads={['Nearest site', unit, 'Share']}
        rows={rows.map(([name, sum]) => ({
          name,
          figures: [count(sum), total === 0 ? '' : percent(sum / total)],
        }))}
      />
      <BySite
        caption="Each site alone"
        rows={sites.map((one) => ({ id: one.id, sums: one.within }))}
      />
      {sites.length > 1 && (
        <BySite
          caption="Also near another site"
          rows={sites.map((one) => ({ id: one.id, sums: one.overlap }))}
        />
      )}
      <BySite
        caption="Each candidate would add"
        rows={gains.map((one) => ({ id: one.id, sums: one.gain }))}
      />
      {chosen.length > 0 && (
        <SumsTable
          caption={`Best order to build, within ${COUNTED_MINUTES[0]} min`}
          heads={['Add', 'gain', 'total within']}
          rows={chosen.map(({ id, gain, total_within }) => ({
            name: id,
            figures: [count(gain), count(total_within)],
          }))}
        />
      )}
      <LeftOut why="Outside the data" errors={errors} type="point-not-covered" />
      <LeftOut why="No street near" errors={errors} type="no-block-data" />
      <p class="quiet">Times run from block to block, in whole minutes.</p>
      <p class="take-along">
        <FileButton label="CSV" name="people-near-sites.csv" make={csv} />
      </p>
    </>
  );
}

/** Names the sites that are left out for a reason; nothing if there are none. */
function LeftOut(props: {
  readonly why: string;
  readonly type: SitesCoverage['errors'][number]['type'];
  readonly errors: SitesCoverage['errors'];
}) {
  const ids = props.errors.filter(({ type }) => type === props.type).map(({ id }) => `“${id}”`);
  return ids.length === 0 ? null : (
    <p>
      {props.why}, and left out: {ids.join(', ')}.
    </p>
  );
}

/** Sums of sites or candidates by minutes; nothing if there are none. */
function BySite(props: {
  readonly caption: string;
  readonly rows: readonly { readonly id: string | number; readonly sums: Sums }[];
}) {
  const { caption, rows } = props;
  if (rows.length === 0) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section class="block-rows" aria-label={caption} tabIndex={0}>
      <SumsTable
        caption={caption}
        heads={['id', ...COUNTED_MINUTES.map((minutes) => `${minutes} min`)]}
        rows={rows.map(({ id, sums }) => ({
          name: id,
          figures: COUNTED_MINUTES.map((minutes) => count(sumAt(sums, minutes))),
        }))}
      />
    </section>
  );
}

function sumAt(sums: Sums, minutes: number): number {
  return Number(sums[minutes]);
}
