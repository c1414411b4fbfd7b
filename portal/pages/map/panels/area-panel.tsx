import { useState } from 'preact/hooks';
import { count } from '../../formats.ts';
import { onRequest } from '../../parts/failed-script.tsx';
import { type LoadedArea, peopleIn, useCountiesInView } from '../blocks/area-blocks.ts';
import { areaCodec, TRACT_DIGITS } from '../state/area.ts';
import { useMap } from '../state/map-context.ts';
import type { Drawing } from './area-tools.tsx';
import { Choose } from './choices.tsx';

/** Loaded when the choice is first opened. */
const AreaTools = onRequest(
  'the tools to draw',
  async () => (await import('./area-tools.tsx')).AreaTools,
);

/** The choice of an area for exact sums: by name, drawn, or from a file. */
export function AreaPanel(props: {
  readonly area: LoadedArea;
  readonly drawing: Drawing;
  readonly onDraw: (drawing: Drawing) => void;
}) {
  const { area, drawing, onDraw } = props;
  const { state, choice, change } = useMap();
  const { view, block } = state;
  const chosen = state.area;
  const [wasOpened, setOpened] = useState(false);
  const counties = useCountiesInView();
  const none =
    view !== 'sites' ? 'What is in view' : choice.sitesType ? 'Choose one' : 'Everyone in reach';
  const tract = block?.slice(0, TRACT_DIGITS);
  const named = typeof chosen === 'string' ? chosen : null;
  const others = [...counties, ...(tract ? [{ code: tract, name: `Tract ${tract}` }] : [])].filter(
    ({ code }) => code !== named,
  );
  const nameOfChosen = area.value ? capitalized(area.value.name) : (named ?? 'The drawn area');
  return (
    <>
      <details class="area" onToggle={() => setOpened(true)}>
        <summary>Area: {chosen === null ? none.toLowerCase() : inWords(area)}</summary>
        <Choose
          label="Area"
          value={chosen === null ? '' : (named ?? DRAWN)}
          options={[
            ['', none],
            ...(chosen === null ? [] : [[named ?? DRAWN, nameOfChosen] as const]),
            ...others.map(({ code, name }) => [code, name] as const),
          ]}
          onChoose={(next) => change({ area: next === '' ? null : next })}
        />
        <p class="quiet">City: search for it above. Tract: click one of its blocks first.</p>
        {wasOpened && <AreaTools drawing={drawing} onDraw={onDraw} />}
        {chosen !== null && areaCodec.write(chosen) === '' && (
          <p class="quiet">This area has too many points to be part of the link to this page.</p>
        )}
      </details>
      <Fault area={area} />
    </>
  );
}

/** Value of the option that stands for an area without a GEOID. */
const DRAWN = 'drawn';

function inWords(area: LoadedArea): string {
  if (area.value) return `${area.value.name}, ${count(peopleIn(area.value))} people`;
  return area.state === 'far' || area.state === 'invalid' ? 'cannot be shown' : '…';
}

function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function Fault({ area }: { readonly area: LoadedArea }) {
  const fault = {
    far: 'This area is outside the release, too far from the map, or too large.',
    invalid: 'The outline crosses itself. Move a corner.',
    failed: 'The blocks of this area could not be loaded: the API does not respond. Trying again …',
    none: null,
    loading: null,
    here: null,
  }[area.state];
  return fault === null ? null : <p role="status">{fault}</p>;
}
