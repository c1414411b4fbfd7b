import { count, distanceUnit } from '../../formats.ts';
import { FileField } from '../../parts/file-field.tsx';
import { type LoadedArea, peopleIn, useCountiesInView } from '../blocks/area-blocks.ts';
import type { Area } from '../state/area.ts';
import { areaCodec, MAX_CIRCLE_METRES, TRACT_DIGITS } from '../state/area.ts';
import { useMap } from '../state/map-context.ts';
import { Choose } from './choices.tsx';

/** Shapes that clicks on the map draw. */
export type Drawing = 'polygon' | 'circle' | null;

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
  const counties = useCountiesInView();
  const none =
    view !== 'sites' ? 'What is in view' : choice.sitesType ? 'Choose one' : 'Everyone in reach';
  const tract = block?.slice(0, TRACT_DIGITS);
  const named = typeof chosen === 'string' ? chosen : null;
  const others = [...counties, ...(tract ? [{ code: tract, name: `Tract ${tract}` }] : [])].filter(
    ({ code }) => code !== named,
  );
  return (
    <details class="area">
      <summary>
        Area: {chosen === null ? none.toLowerCase() : area.state === 'here' ? inWords(area) : '…'}
      </summary>
      <Choose
        label="Area"
        value={chosen === null ? '' : (named ?? DRAWN)}
        onChoose={(next) => change({ area: next === '' ? null : next })}
      >
        <option value="">{none}</option>
        {chosen !== null && (
          <option value={named ?? DRAWN}>
            {area.state === 'here' ? capitalized(area.of.name) : (named ?? 'The drawn area')}
          </option>
        )}
        {others.map(({ code, name }) => (
          <option key={code} value={code}>
            {name}
          </option>
        ))}
      </Choose>
      <p class="quiet">City: search for it above. Tract: click one of its blocks first.</p>
      <div class="actions">
        {(['polygon', 'circle'] as const).map((shape) => (
          <button
            key={shape}
            type="button"
            class="button button-small"
            aria-pressed={drawing === shape}
            onClick={() => onDraw(drawing === shape ? null : shape)}
          >
            Draw a {shape}
          </button>
        ))}
      </div>
      {drawing !== null && <p role="status">{HOW_TO_DRAW[drawing]}</p>}
      <Radius area={chosen} />
      <AreaFile />
      {chosen !== null && areaCodec.write(chosen) === '' && (
        <p class="quiet">This area has too many points to be part of the link to this page.</p>
      )}
      <Fault area={area} />
    </details>
  );
}

/** Value of the option that stands for an area without a GEOID. */
const DRAWN = 'drawn';

const HOW_TO_DRAW = {
  polygon:
    'Click its corners on the map, or press Enter at the cross. Drag a corner to move it; Delete removes it. Press “Draw a polygon” again when it is complete.',
  circle: 'Click its center on the map, or press Enter at the cross. Drag the center to move it.',
};

function inWords({ of }: Extract<LoadedArea, { state: 'here' }>): string {
  return `${of.name}, ${count(peopleIn(of))} people`;
}

function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function Radius({ area }: { readonly area: Area | null }) {
  const { catalogue, change } = useMap();
  if (area === null || typeof area === 'string' || !('metres' in area)) return null;
  const unit = distanceUnit(catalogue.units);
  const onRadius = (radius: number) => {
    const metres = Math.round(radius * unit.metres);
    if (metres > 0 && metres <= MAX_CIRCLE_METRES) change({ area: { ...area, metres } });
  };
  return (
    <label class="field">
      <span>Radius in {unit.name}</span>
      <input
        type="number"
        min={0.1}
        max={Math.floor(MAX_CIRCLE_METRES / unit.metres)}
        step="any"
        value={+(area.metres / unit.metres).toFixed(2)}
        onInput={(event) => onRadius(event.currentTarget.valueAsNumber)}
      />
    </label>
  );
}

function AreaFile() {
  const { change } = useMap();
  const open = async (file: File) => {
    const { readArea } = await import('../state/area-file.ts');
    const read = readArea(await file.text());
    if ('fault' in read) return read.fault;
    change({ area: read.area });
    return null;
  };
  return (
    <FileField
      label="Or a GeoJSON file with polygons"
      accept=".geojson,.json,application/geo+json"
      read={open}
    />
  );
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
