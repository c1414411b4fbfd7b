import { minutesCounted } from '../../../../../shards/access/access-columns.ts';
import { accessList } from '../../blocks/block-lists.ts';
import { useColourScheme } from '../../drawing/use-colour-scheme.ts';
import { ListedBlocks } from '../../panels/block-downloads.tsx';
import { ModeChoice, Switch, WeightChoice } from '../../panels/choices.tsx';
import { PeopleLegend } from '../../panels/people-legend.tsx';
import { Sentences, sentencesOf } from '../../panels/people-sentences.tsx';
import { TransitTimes } from '../../panels/transit-times.tsx';
import { useMap } from '../../state/map-context.ts';
import { DIRECTIONS } from '../../state/map-state.ts';
import type { Loaded } from '../map-view.ts';
import { accessChoice, accessRows, isType, sayAccess, withinWords } from './access-view.ts';

const DIRECTION_NAMES = { from: 'From each block', to: 'To each block' };

export function AccessPanel({ access, area }: Pick<Loaded, 'access' | 'area'>) {
  const { catalogue, state, choice, change } = useMap();
  const scheme = useColourScheme();
  const asked = accessChoice(state, choice);
  if (asked === null) return <p role="status">This release counts nothing within reach.</p>;
  const { weight, count } = asked;
  const view = access.value;
  const { bounds = null, classes } = view?.of ?? {};
  const list =
    view && bounds && classes
      ? accessList(view.blocks, { classes, bounds }, view.seen, { ...count, ...asked.times })
      : null;
  const title = `${weight.label} ${withinWords(count)}`;
  const rows = accessRows({ access }, scheme);
  return (
    <section class="view" aria-labelledby="access">
      <h2 id="access">{title}</h2>
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
      {!isType(weight) && (
        <Switch
          label="Direction"
          name="direction"
          values={DIRECTIONS.map((one) => [one, DIRECTION_NAMES[one]] as const)}
          chosen={count.direction}
          onChoose={(next) => change({ direction: next })}
        />
      )}
      <TransitTimes modes={[count.mode]} />
      {rows.length > 0 && (
        <PeopleLegend
          caption={`People in view by ${weight.unit} within reach`}
          by={weight.label}
          rows={rows}
        />
      )}
      <Sentences of={sentencesOf(access, area, sayAccess({ access, state, choice }))} />
      <p class="quiet">
        Each color covers about as many blocks as the others, release-wide.{' '}
        <button type="button" class="button button-small" onClick={showCode}>
          Exact numbers as code
        </button>
      </p>
      <ListedBlocks list={list} />
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
