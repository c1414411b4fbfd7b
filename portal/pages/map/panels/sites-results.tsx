import { count, percent } from '../../parts/formats.ts';
import { SITE_MINUTES, type SitesCoverage } from '../paid/sites-request.ts';
import { FileButton } from '../share/file-button.tsx';
import { sitesCsv } from '../sites/sites-csv.ts';

type Sums = Readonly<Record<string, unknown>>;

/** Sums by minutes to the nearest site; each site's own; gains of candidates and the best of them. */
export function SitesResults(props: { readonly coverage: SitesCoverage; readonly unit: string }) {
  const { coverage, unit } = props;
  const { sites, gains, chosen, errors } = coverage;
  const [{ total, within, beyond, no_data }] = coverage.results;
  const csv = async () => new Blob([await sitesCsv(coverage)], { type: 'text/csv' });
  const last = SITE_MINUTES.at(-1)!;
  const rows: (readonly [string, number])[] = [
    ...SITE_MINUTES.map((minutes) => [`within ${minutes} min`, sumAt(within, minutes)] as const),
    [`over ${last} min: not covered`, beyond],
    ['no street near', no_data],
  ];
  return (
    <>
      <table class="sums">
        <caption class="unseen">By minutes to the nearest site</caption>
        <thead>
          <tr>
            <th scope="col">Nearest site</th>
            <th scope="col" class="number">
              {unit}
            </th>
            <th scope="col" class="number">
              Share
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, sum]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="number">{count(sum)}</td>
              <td class="number">{total === 0 ? '' : percent(sum / total)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <BySite
        caption="Each site alone"
        rows={sites.map((one) => ({ id: one.id, sums: one.within }))}
      />
      <BySite
        caption="Each candidate would add"
        rows={gains.map((one) => ({ id: one.id, sums: one.gain }))}
      />
      {chosen.length > 0 && (
        <table class="sums">
          <caption>Best candidates, one after the other, within {SITE_MINUTES[0]} min</caption>
          <thead>
            <tr>
              <th scope="col">Add</th>
              <th scope="col" class="number">
                gain
              </th>
              <th scope="col" class="number">
                then within
              </th>
            </tr>
          </thead>
          <tbody>
            {chosen.map(({ id, gain, total_within }) => (
              <tr key={id}>
                <th scope="row">{id}</th>
                <td class="number">{count(gain)}</td>
                <td class="number">{count(total_within)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {errors.length > 0 && (
        <p>Outside the data, and left out: {errors.map(({ id }) => id).join(', ')}.</p>
      )}
      <p class="quiet">Times are between the blocks of the points, in whole minutes.</p>
      <p class="take-along">
        <FileButton label="CSV" name="sites.csv" make={csv} />
      </p>
    </>
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
      <table class="sums">
        <caption>{caption}</caption>
        <thead>
          <tr>
            <td />
            {SITE_MINUTES.map((minutes) => (
              <th key={minutes} scope="col" class="number">
                {minutes} min
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ id, sums }) => (
            <tr key={id}>
              <th scope="row">{id}</th>
              {SITE_MINUTES.map((minutes) => (
                <td key={minutes} class="number">
                  {count(sumAt(sums, minutes))}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function sumAt(sums: Sums, minutes: number): number {
  return Number(sums[minutes]);
}
