import { countedType, minutesCounted } from '../../../../../shards/access/access-columns.ts';
import { ModeChoice, Switch, WeightChoice } from '../../panels/choices.tsx';
import { TransitTimes } from '../../panels/transit-times.tsx';
import { useMap } from '../../state/map-context.ts';
import { DIRECTIONS } from '../../state/map-state.ts';
import { PeopleInView } from '../free-view.tsx';
import type { Viewed } from '../map-view.ts';
import { access, withinWords } from './access-view.ts';

const DIRECTION_NAMES = { from: 'From each block', to: 'To each block' };

export function AccessPanel(viewed: Viewed) {
  const { catalogue, choice, change } = useMap();
  if (choice.access === null) {
    return <p role="status">This release counts nothing within reach.</p>;
  }
  const { weight, count } = choice.access;
  return (
    <section class="view" aria-labelledby="access">
      <h2 id="access">{`${weight.label} ${withinWords(choice.access)}`}</h2>
      <div class="map-choices">
        <ModeChoice mode={count.mode} onMode={(mode) => change({ mode })} />
        <WeightChoice
          weights={catalogue.counted}
          weight={weight.weight}
          onWeight={(next) => change({ weight: next })}
        />
      </div>
      <Switch
        label="Minutes"
        name="access-minutes"
        values={minutesCounted(weight.weight).map((one) => [String(one), `${one} min`] as const)}
        chosen={String(count.minutes)}
        onChoose={(next) => change({ minutes: Number(next) })}
      />
      {countedType(weight.weight) === null && (
        <Switch
          label="Direction"
          name="direction"
          values={DIRECTIONS.map((one) => [one, DIRECTION_NAMES[one]] as const)}
          chosen={count.direction}
          onChoose={(next) => change({ direction: next })}
        />
      )}
      <TransitTimes modes={[count.mode]} />
      <PeopleInView
        of={access}
        viewed={viewed}
        caption={`People in view by ${weight.unit} within reach`}
        by={weight.label}
      >
        <p class="quiet">
          Each color covers about as many blocks as the others, release-wide.{' '}
          <button type="button" class="button button-small" onClick={showCode}>
            Exact numbers as code
          </button>
        </p>
      </PeopleInView>
    </section>
  );
}

/** Shows the request for exact numbers as code, which is among the ways to share. */
function showCode() {
  const ways = document.querySelector<HTMLDetailsElement>('details.share');
  if (ways === null) return;
  ways.open = true;
  ways.querySelector('summary')?.focus();
  ways.scrollIntoView({ block: 'start' });
}
