import { isTransit } from '../../../../shards/modes.ts';
import type { Timing } from '../../../../shards/services.ts';
import { speedWords } from '../catalogue/windows.ts';
import { useMap } from '../state/map-context.ts';
import { Choose } from './choices.tsx';
import { TransitNote } from './words.tsx';

/** Describes the times of transit trips that are shown, and lets one choose among several. */
export function TransitTimes({ modes }: { readonly modes: readonly string[] }) {
  const { catalogue, choice, change } = useMap();
  if (!modes.some(isTransit)) return null;
  return (
    <>
      {catalogue.windows.length > 0 && (
        <WindowChoice timing={choice.timing} onTiming={(timing) => change({ timing })} />
      )}
      <TransitNote modes={modes} />
    </>
  );
}

/** A choice among the windows of departures of a release, and the percentiles of each. */
export function WindowChoice(props: {
  /** Words before the labels, such as `B: `. */
  readonly of?: string;
  readonly timing: Timing;
  readonly onTiming: (timing: Timing) => void;
}) {
  const { of = '', timing, onTiming } = props;
  const { windows } = useMap().catalogue;
  const { departure, percentile } = timing;
  const { percentiles } = windows.find(({ name }) => name === departure)!;
  const choose = (name: string) => {
    const held = windows.find((one) => one.name === name)!.percentiles;
    const [first] = held;
    onTiming({ departure: name, percentile: held.includes(percentile) ? percentile : first });
  };
  return (
    <div class="stacked-choices">
      <Choose
        label={`${of}Transit departs`}
        value={departure}
        options={windows.map(({ name, label }) => [name, label])}
        onChoose={choose}
      />
      <Choose
        label={`${of}Time of`}
        value={percentile}
        options={percentiles.map((one) => [one, speedWords(one)])}
        onChoose={(next) => onTiming({ departure, percentile: Number(next) })}
      />
    </div>
  );
}
