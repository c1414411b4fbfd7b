import { useMemo } from 'preact/hooks';
import { counted } from '../../formats.ts';
import type { BlockFacts } from '../blocks/block-lists.ts';
import { peopleOf } from '../blocks/use-block-facts.ts';
import { cumulative, type Reach } from '../measures/reach.ts';
import { MAX_MINUTES } from '../state/map-state.ts';

/** The people and blocks of a reach within `minutes`, announced when they change. */
export function PeopleWithin(props: {
  readonly reach: Reach;
  /** Null while people are not known. */
  readonly facts: BlockFacts | null;
  readonly minutes: number;
}) {
  const { reach, facts, minutes } = props;
  const within = useMemo(() => {
    const each = new Uint8Array(reach.geoids.length).fill(1);
    return {
      blocks: cumulative(reach.minutes, each, MAX_MINUTES),
      people: facts && cumulative(reach.minutes, peopleOf(facts), MAX_MINUTES),
    };
  }, [reach, facts]);
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
        </>
      )}
    </p>
  );
}
