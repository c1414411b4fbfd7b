import { UnitsChoice } from '../../parts/units.tsx';
import { useMap } from '../state/map-context.ts';
import { MAX_OPACITY, MIN_OPACITY } from '../state/map-state.ts';

/** How the map looks: how much of the base map shows through its colors, and its units. */
export function DisplayChoices() {
  const { state, change } = useMap();
  const { opacity } = state;
  return (
    <details class="display">
      <summary>Display</summary>
      <label class="field">
        <span>Opacity of the colors: {opacity}%</span>
        <input
          type="range"
          min={MIN_OPACITY}
          max={MAX_OPACITY}
          step={5}
          value={opacity}
          onInput={(event) => change({ opacity: event.currentTarget.valueAsNumber })}
        />
      </label>
      <UnitsChoice />
    </details>
  );
}
