import { useMemo } from 'preact/hooks';
import { count, counted, percent } from '../../formats.ts';
import { type LoadedArea, peopleIn } from '../blocks/area-blocks.ts';
import type { BlockFacts } from '../blocks/block-lists.ts';
import { peopleOf } from '../blocks/use-block-facts.ts';
import { cumulative, type Reach } from '../measures/reach.ts';
import { MAX_MINUTES } from '../state/map-state.ts';

/** The people and blocks of a reach within `minutes`, and in an area, announced as they change. */
export function PeopleWithin(props: {
  readonly reach: Reach;
  /** Null while people are not known. */
  readonly facts: BlockFacts | null;
  readonly minutes: number;
  readonly area: LoadedArea;
}) {
  const { reach, facts, minutes } = props;
  const area = props.area.value;
  const within = useMemo(() => {
    const each = new Uint8Array(reach.geoids.length).fill(1);
    return {
      blocks: cumulative(reach.minutes, each, MAX_MINUTES),
      people: facts && cumulative(reach.minutes, peopleOf(facts), MAX_MINUTES),
      ofArea: facts && area && cumulative(reach.minutes, peopleOf(facts, area), MAX_MINUTES),
    };
  }, [reach, facts, area]);
  const all = area && peopleIn(area);
  const blocks = counted(within.blocks[minutes], 'block');
  return (
    <p class="figure" aria-live="polite">
      {within.people === null ? (
        <>
          <strong>{blocks}</strong> within {minutes} minutes
        </>
      ) : (
        <>
          <strong>{counted(within.people[minutes], 'person', 'people')}</strong> within {minutes}{' '}
          minutes, in {blocks}
          {area && within.ofArea && all !== null && (
            <>
              ; {count(within.ofArea[minutes])} of {count(all)}
              {all > 0 && ` (${percent(within.ofArea[minutes] / all)})`} in {area.name}
            </>
          )}
        </>
      )}
    </p>
  );
}
