import { useId } from 'preact/hooks';
import { ACCESS_MINUTES } from '../../../../shards/access/access-columns.ts';
import { useMap } from '../state/map-context.ts';
import { MAX_MINUTES, MIN_MINUTES } from '../state/map-state.ts';

/** A slider from 5 to 60 minutes. It only changes what the page shows: no request is sent. */
export function MinutesSlider({ most = MAX_MINUTES }: { readonly most?: number }) {
  const { choice, change } = useMap();
  const { minutes } = choice;
  const id = useId();
  return (
    <div class="minutes-slider">
      <label for={id}>
        Within <strong>{minutes}</strong> minutes
      </label>
      <input
        id={id}
        type="range"
        min={MIN_MINUTES}
        max={most}
        step={1}
        value={minutes}
        list={`${id}-ticks`}
        aria-valuetext={`${minutes} minutes`}
        onInput={(event) => change({ minutes: event.currentTarget.valueAsNumber })}
      />
      <datalist id={`${id}-ticks`}>
        {ACCESS_MINUTES.filter((tick) => tick <= most).map((tick) => (
          <option key={tick} value={tick} label={String(tick)} />
        ))}
      </datalist>
      {most === MAX_MINUTES && (
        <div class="slider-ticks" aria-hidden="true">
          {ACCESS_MINUTES.map((tick) => (
            <span key={tick} class={`tick tick-${tick}`}>
              {tick}
            </span>
          ))}
        </div>
      )}
    </div>
  );
}
