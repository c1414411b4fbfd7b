import { useEffect, useState } from 'preact/hooks';
import { counted } from '../../formats.ts';
import type { HoveredBlock } from '../drawing/draw-map.ts';

/** Pause before a block is announced, so that a pointer on its way announces nothing. */
const PAUSE_MS = 400;

/** A line at the pointer: minutes, people and place of the block under it; also announced. */
export function Readout(props: {
  readonly hovered: HoveredBlock | null;
  readonly minutesOf: (geoid: number) => string | null;
}) {
  const { hovered, minutesOf } = props;
  const text = hovered === null ? '' : wordsOf(hovered, minutesOf(Number(hovered.block.geoid)));
  const [said, setSaid] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setSaid(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <>
      {hovered !== null && (
        <p
          class="map-readout"
          aria-hidden="true"
          style={{ '--x': `${hovered.x}px`, '--y': `${hovered.y}px` }}
        >
          {text}
        </p>
      )}
      <p class="unseen map-said" role="status">
        {said}
      </p>
    </>
  );
}

function wordsOf({ block, poi, place }: HoveredBlock, minutes: string | null): string {
  const people = block.population === null ? null : counted(block.population, 'person', 'people');
  return [poi, minutes, people, place].filter((part) => part !== null).join(' · ');
}
