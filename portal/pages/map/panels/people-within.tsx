import { useMemo } from 'preact/hooks';
import { useApi } from '../../api/use-api.ts';
import { counted } from '../../parts/formats.ts';
import { useBlockPeople } from '../blocks/block-people.ts';
import { cumulative, type Reach } from '../measures/reach.ts';
import { MAX_MINUTES, type MapPosition } from '../state/map-state.ts';

/** The people and blocks of a reach within some minutes: announced when they change. */
export function PeopleWithin(props: {
  readonly reach: Reach;
  readonly minutes: number;
  readonly position: MapPosition | null;
  readonly bounds: readonly number[];
}) {
  const { reach, minutes, position, bounds } = props;
  const people = useBlockPeople(useApi(), reach.geoids, position, bounds);
  const within = useMemo(() => {
    const each = new Uint8Array(reach.geoids.length).fill(1);
    return {
      blocks: cumulative(reach.minutes, each, MAX_MINUTES),
      people: people && cumulative(reach.minutes, people, MAX_MINUTES),
    };
  }, [reach, people]);
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
