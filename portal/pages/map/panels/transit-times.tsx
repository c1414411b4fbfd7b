import { isTransit } from '../../../../shards/modes.ts';
import { onRequest } from '../../parts/failed-script.tsx';
import { useMap } from '../state/map-context.ts';
import { TransitNote } from './words.tsx';

export const WindowChoice = onRequest(
  'the choice of departures',
  async () => (await import('./window-choice.tsx')).WindowChoice,
);

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
