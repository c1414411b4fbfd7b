import { count, counted, shareOf } from '../../../formats.ts';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import type { Criterion } from '../../measures/basket.ts';
import { Paid } from '../../paid/paid.tsx';
import { Switch } from '../../panels/choices.tsx';
import { SumsTable } from '../../panels/sums-table.tsx';
import { TransitTimes } from '../../panels/transit-times.tsx';
import { MarginNote } from '../../panels/words.tsx';
import { useMap } from '../../state/map-context.ts';
import type { MapState } from '../../state/map-state.ts';
import { PeopleInView } from '../free-view.tsx';
import type { Viewed } from '../map-view.ts';
import { basket, type Coverage, criterionName, exactBasket, haveAll } from './basket-view.ts';
import { CriteriaList } from './criteria-list.tsx';

const COLOURED_BY: readonly (readonly [MapState['basketBy'], string])[] = [
  ['furthest', 'The furthest'],
  ['met', 'How many'],
];

/**
 * Panel of a basket: people who have several things near, by the public block bands, and the exact
 * sums for tokens.
 */
export function BasketPanel(viewed: Viewed) {
  const { catalogue, state, choice } = viewed;
  const { change } = useMap();
  const criteria = choice.basket;
  const isMet = state.basketBy === 'met';
  return (
    <section class="view" aria-labelledby="basket">
      <h2 id="basket">Who has everything nearby</h2>
      <TransitTimes modes={criteria.map(({ mode }) => mode)} />
      <CriteriaList
        catalogue={catalogue}
        criteria={criteria}
        onChange={(next) => change({ basket: next })}
      />
      <Switch
        label="Color blocks by"
        name="basket-by"
        values={COLOURED_BY}
        chosen={state.basketBy}
        onChoose={(next) => change({ basketBy: next })}
      />
      <PeopleInView
        of={basket}
        viewed={viewed}
        caption={`People in view by ${isMet ? 'the number of criteria met' : 'minutes to the furthest'}`}
        by={isMet ? 'Criteria met' : 'Minutes'}
      />
      <ExactBasket {...viewed} />
    </section>
  );
}

/** The exact sums of the chosen area, or of the first county in view. */
function ExactBasket(viewed: Viewed) {
  const { catalogue, choice } = viewed;
  const exact = exactBasket(viewed);
  if (exact === null) return null;
  return (
    <div class="exact">
      <h3>Exact totals: {exact.name}</h3>
      <Paid request={exact.request} label="Exact shares">
        {(coverage) => (
          <ExactShares coverage={coverage} criteria={choice.basket} catalogue={catalogue} />
        )}
      </Paid>
    </div>
  );
}

function ExactShares(props: {
  readonly coverage: Coverage;
  readonly criteria: readonly Criterion[];
  readonly catalogue: Catalogue;
}) {
  const { coverage, criteria, catalogue } = props;
  const { total, with_all, met, missing_only, no_data } = coverage.basket!;
  const nearOf = ({ type, mode, minutes }: Criterion) => {
    const row = coverage.results.find((one) => one.dest_type_id === type && one.mode === mode);
    return (row?.within as Readonly<Record<string, number>> | undefined)?.[minutes] ?? 0;
  };
  const share = (of: number) => shareOf(of, total);
  const most = Math.max(...missing_only);
  return (
    <>
      <p class="figure">
        <strong>{share(with_all)}</strong> of {counted(total, 'person', 'people')}{' '}
        {haveAll(criteria)}
      </p>
      <SumsTable
        caption="People by criteria met"
        heads={['Criteria met', 'People', 'Share']}
        rows={[
          ...met
            .map((people, i) => ({
              name: `${i} of ${criteria.length}`,
              figures: [count(people), share(people)],
            }))
            .reverse(),
          { name: 'not known', figures: [count(no_data), share(no_data)] },
        ]}
      />
      <SumsTable
        caption="People by criterion"
        heads={['Criterion', 'Met by', 'Share', 'Lack it only']}
        rows={criteria.map((criterion, j) => ({
          name: criterionName(catalogue, criterion),
          figures: [count(nearOf(criterion)), share(nearOf(criterion)), count(missing_only[j])],
        }))}
      />
      <MarginNote margin={coverage.area.margin} />
      {most > 0 && (
        <p>
          Biggest single gap: {criterionName(catalogue, criteria[missing_only.indexOf(most)])}.{' '}
          {counted(most, 'person has', 'people have')} everything else.
        </p>
      )}
    </>
  );
}
