import { count, percent } from '../../formats.ts';
import { useColourScheme } from '../drawing/use-colour-scheme.ts';
import { useMap } from '../state/map-context.ts';
import { groundSwatches } from './legend-swatches.ts';
import { type Swatch, SwatchBox } from './swatches.tsx';

/** A class of blocks, and its people; `people` is null while they are not counted. */
export interface PeopleRow {
  readonly swatch: Swatch;
  readonly people: number | null;
  /** Its people in the chosen area; absent without one. */
  readonly inArea?: number | undefined;
}

/** A legend that is a histogram of people in view, or states those of an area, as a table. */
export function PeopleLegend(props: {
  readonly caption: string;
  /** Head of the first column. */
  readonly by: string;
  readonly rows: readonly PeopleRow[];
}) {
  const { caption, by, rows } = props;
  const { baseMap } = useMap().catalogue;
  const scheme = useColourScheme();
  const most = Math.max(1, ...rows.map(({ people }) => people ?? 0));
  const all = rows.reduce((sum, { people }) => sum + (people ?? 0), 0);
  const hasArea = rows.some(({ inArea }) => inArea !== undefined);
  const heads = hasArea ? ['In view', 'In the area', 'Share'] : ['People in view', 'Share'];
  const allInArea = rows.reduce((sum, { inArea = 0 }) => sum + inArea, 0);
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
        {rows.map(({ swatch, people, inArea }) => (
          <tr key={swatch.label}>
            <th scope="row">
              <SwatchBox {...swatch} />
              {swatch.label}
            </th>
            <td class="number">
              {people !== null && !hasArea && <Bar share={people / most} />}
              {people !== null && <span class="people-count">{count(people)}</span>}
            </td>
            {hasArea && <td class="number">{inArea === undefined ? '' : count(inArea)}</td>}
            <td class="number">{hasArea ? share(inArea, allInArea) : share(people, all)}</td>
          </tr>
        ))}
        {groundSwatches(baseMap, scheme).map((swatch) => (
          <tr key={swatch.label}>
            <th scope="row" colSpan={hasArea ? 4 : 3}>
              <SwatchBox {...swatch} />
              {swatch.label}
            </th>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A share in words; empty if it is not known. */
function share(people: number | null | undefined, all: number): string {
  return people == null || all === 0 ? '' : percent(people / all);
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
