import { count, shareOf } from '../../formats.ts';
import { useColourScheme } from '../drawing/use-colour-scheme.ts';
import { useMap } from '../state/map-context.ts';
import { groundSwatches, type Swatch, SwatchBox } from './legend.tsx';

/** A class of blocks, and its people among some sums. */
export interface PeopleRow<Sums> {
  readonly swatch: Swatch;
  readonly peopleOf: (sums: Sums) => number;
}

/** A legend that is a histogram of people in view, or states those of an area, as a table. */
export function PeopleLegend<Sums>(props: {
  readonly caption: string;
  /** Head of the first column. */
  readonly by: string;
  readonly rows: readonly PeopleRow<Sums>[];
  /** Null until counted. */
  readonly inView: Sums | null;
  /** Null without an area. */
  readonly inArea: Sums | null;
}) {
  const { caption, by, rows, inView, inArea } = props;
  const { baseMap } = useMap().catalogue;
  const scheme = useColourScheme();
  const [seen, within] = [inView, inArea].map(
    (sums) => sums && rows.map((row) => row.peopleOf(sums)),
  );
  const all = (within ?? seen)?.reduce((sum, one) => sum + one, 0) ?? 0;
  const shares = (within ?? seen)?.map((one) => shareOf(one, all));
  const most = Math.max(1, ...(seen ?? []));
  const heads = within ? ['In view', 'In the area', 'Share'] : ['People in view', 'Share'];
  return (
    <table class="people-legend">
      <caption class="unseen">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">{by}</th>
          {heads.map((head) => (
            <th key={head} scope="col" class="number">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ swatch }, i) => (
          <tr key={swatch.label}>
            <th scope="row">
              <SwatchBox {...swatch} />
              {swatch.label}
            </th>
            <td class="number">
              {seen && !within && <Bar share={seen[i] / most} />}
              {seen && <span class="people-count">{count(seen[i])}</span>}
            </td>
            {within && <td class="number">{count(within[i])}</td>}
            <td class="number">{shares?.[i]}</td>
          </tr>
        ))}
        {groundSwatches(baseMap, scheme).map((swatch) => (
          <tr key={swatch.label}>
            <th scope="row" colSpan={within ? 4 : 3}>
              <SwatchBox {...swatch} />
              {swatch.label}
            </th>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const BAR = { width: 56, height: 10 };

function Bar({ share }: { readonly share: number }) {
  return (
    <svg
      class="people-bar"
      viewBox={`0 0 ${BAR.width} ${BAR.height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <rect width={share * BAR.width} height={BAR.height} />
    </svg>
  );
}
