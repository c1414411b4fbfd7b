import { useMemo } from 'preact/hooks';
import { count } from '../../../formats.ts';
import { useApi } from '../../../session/use-api.ts';
import { type BlockFacts, comparisonList } from '../../blocks/block-lists.ts';
import { peopleOf, useBlockFacts } from '../../blocks/use-block-facts.ts';
import { useColourScheme } from '../../drawing/use-colour-scheme.ts';
import {
  type Comparison,
  changesOf,
  DEAD_BAND_MINUTES,
  laterOf,
  soonerOf,
} from '../../measures/comparison.ts';
import { cumulative } from '../../measures/reach.ts';
import { Paid } from '../../paid/paid.tsx';
import { ListedBlocks } from '../../panels/block-downloads.tsx';
import { ModeChoice, Switch } from '../../panels/choices.tsx';
import { differenceSwatches, reachSwatches } from '../../panels/legend-swatches.ts';
import { MinutesSlider } from '../../panels/minutes-slider.tsx';
import { SumsTable } from '../../panels/sums-table.tsx';
import { Swatches } from '../../panels/swatches.tsx';
import { FarNote, originName, PercentileNote } from '../../panels/words.tsx';
import { useMap } from '../../state/map-context.ts';
import type { MapState } from '../../state/map-state.ts';
import type { Loaded } from '../map-view.ts';

const SHOWN: readonly (readonly [MapState['compared'], string])[] = [
  ['difference', 'Difference'],
  ['both', 'Both'],
  ['a', 'A'],
  ['b', 'B'],
];

/** Panel of two reaches side by side, of two blocks or by two modes. */
export function ComparePanel(loaded: Pick<Loaded, 'a' | 'b' | 'comparison' | 'poiName'>) {
  const { a, b, comparison } = loaded;
  const { mode, otherMode } = useMap().choice;
  const isSame = a?.name === b?.name;
  return (
    <section class="view" aria-labelledby="compare">
      <h2 id="compare">Compare A with B</h2>
      <PercentileNote modes={[mode, otherMode]} />
      {a === null || b === null ? (
        <p class="quiet">Select a block on the map, then “Use as A”.</p>
      ) : (
        <>
          <Sides poiName={loaded.poiName} />
          {isSame ? (
            <p class="quiet">Choose another mode for B, or select another block and “Use as B”.</p>
          ) : (
            <>
              <Paid request={a} label="Load A" />
              <Paid request={b} label="Load B" />
              {comparison !== null && <Compared comparison={comparison} />}
            </>
          )}
        </>
      )}
    </section>
  );
}

/** The origins and modes of A and B. */
function Sides({ poiName }: Pick<Loaded, 'poiName'>) {
  const { state, choice, change } = useMap();
  const { origin, otherOrigin } = state;
  const { mode, otherMode } = choice;
  return (
    <div class="sides">
      <div class="side side-a">
        <h3>A</h3>
        <p>{originName(origin!, poiName)}</p>
        <ModeChoice
          label="Mode of A"
          mode={mode}
          onMode={(next) => change({ mode: next, otherMode })}
        />
      </div>
      <div class="side side-b">
        <h3>B</h3>
        <p>{otherOrigin === null ? 'the same' : originName(otherOrigin, null)}</p>
        <ModeChoice
          label="Mode of B"
          mode={otherMode}
          onMode={(next) => change({ otherMode: next })}
        />
      </div>
    </div>
  );
}

/** A comparison that is loaded: its minutes, sums, colours and blocks. */
function Compared({ comparison }: { readonly comparison: Comparison }) {
  const { catalogue, state, change } = useMap();
  const scheme = useColourScheme();
  const { position, minutes, compared } = state;
  const { facts, isFar } = useBlockFacts(useApi(), comparison.geoids, position, catalogue.bounds);
  return (
    <>
      <MinutesSlider />
      <Shares comparison={comparison} facts={facts} minutes={minutes} />
      <Switch
        label="Colour blocks by"
        name="compared"
        values={SHOWN}
        chosen={compared}
        onChoose={(next) => change({ compared: next })}
      />
      {compared === 'difference' ? (
        <Swatches isSingle entries={differenceSwatches(scheme)} />
      ) : (
        <Swatches entries={reachSwatches(scheme)} />
      )}
      {isFar && <FarNote />}
      <ListedBlocks list={facts && comparisonList(facts, comparison, minutes)} />
    </>
  );
}

/** Sums within `minutes` of A, B, both and either, and how B differs from A. */
function Shares(props: {
  readonly comparison: Comparison;
  /** Null while people are not known. */
  readonly facts: BlockFacts | null;
  readonly minutes: number;
}) {
  const { comparison, facts, minutes } = props;
  const people = useMemo(() => facts && peopleOf(facts), [facts]);
  const each = useMemo(() => new Uint8Array(comparison.geoids.length).fill(1), [comparison]);
  const weights = people === null ? [each] : [people, each];
  const within = (of: Uint8Array) => weights.map((one) => cumulative(of, one, minutes)[minutes]);
  const changes = weights.map((one) => changesOf(comparison, one, minutes));
  const names = people === null ? ['blocks'] : ['people', 'blocks'];
  const rowsOf = (columns: readonly (readonly number[])[]) =>
    names.map((name, i) => ({ name, figures: columns.map((sums) => count(sums[i])) }));
  const sets = [comparison.a, comparison.b, laterOf(comparison), soonerOf(comparison)].map(within);
  return (
    <div class="shares" aria-live="polite">
      <SumsTable
        caption={`Within ${minutes} minutes`}
        heads={['Counted', 'A', 'B', 'both', 'either']}
        rows={rowsOf(sets)}
      />
      <SumsTable
        caption={`Switching from A to B, within ${minutes} minutes`}
        heads={['Counted', 'gain', 'lose', `same (± ${DEAD_BAND_MINUTES} min)`]}
        rows={rowsOf([
          changes.map(({ gain }) => gain),
          changes.map(({ lose }) => lose),
          changes.map(({ alike }) => alike),
        ])}
      />
    </div>
  );
}
