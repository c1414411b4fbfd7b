import { useRef } from 'preact/hooks';
import { useLoaded } from '../../api/use-loaded.ts';
import type { Outlines, Shown } from '../drawing/paint.ts';
import { useColourScheme } from '../drawing/use-colour-scheme.ts';
import { useMap } from '../state/map-context.ts';
import type { Frame } from '../tiles/frame.ts';
import { StripePattern } from './stripe-pattern.tsx';
import { useFrame } from './use-frame.ts';

/** Buttons that move the picture: sign, name, and steps as fractions of its width and height. */
const STEPS = [
  ['←', 'West', -0.4, 0],
  ['→', 'East', 0.4, 0],
  ['↑', 'North', 0, -0.4],
  ['↓', 'South', 0, 0.4],
] as const;

interface StillProps {
  readonly shown: Shown;
  readonly outlines: Outlines;
}

/** A still picture in place of the map, in browsers without WebGL; buttons move and zoom it. */
export function StillStage(props: StillProps) {
  const { change } = useMap();
  const place = useRef<HTMLElement>(null);
  const frame = useFrame(place);
  const zoomBy = (steps: number) =>
    frame && change({ position: { ...frame.position, zoom: frame.position.zoom + steps } });
  const moveBy = (x: number, y: number) => {
    if (frame === null) return;
    const centre = frame.pointAt((x + 0.5) * frame.width, (y + 0.5) * frame.height);
    change({ position: { ...frame.position, ...centre } });
  };
  const buttons = [
    ['+', 'Zoom in', () => zoomBy(1)],
    ['−', 'Zoom out', () => zoomBy(-1)],
    ...STEPS.map(([sign, name, x, y]) => [sign, name, () => moveBy(x, y)] as const),
  ] as const;
  return (
    <div class="still-stage">
      <p class="quiet">Still picture: WebGL 2 is missing or switched off in this browser.</p>
      <div class="still-buttons">
        {buttons.map(([sign, name, act]) => (
          <button
            key={name}
            type="button"
            class="button"
            aria-label={name}
            title={name}
            onClick={act}
          >
            {sign}
          </button>
        ))}
      </div>
      <figure ref={place} class="still-picture">
        {frame && <Picture {...props} frame={frame} />}
      </figure>
    </div>
  );
}

function Picture(props: StillProps & { readonly frame: Frame }) {
  const { shown, outlines, frame } = props;
  const { catalogue, state } = useMap();
  const { blocksUrl, baseMap } = catalogue;
  const opacity = state.opacity / 100;
  const scheme = useColourScheme();
  const { width, height } = frame;
  const { selected } = outlines;
  const picture = useLoaded(async () => {
    const { stillMap } = await import('./still-map.tsx');
    return stillMap(frame, { blocksUrl, baseMap, shown, opacity, selected }, scheme);
  }, [frame, shown, selected, scheme, opacity]);
  if (picture.state === 'loading') return <p class="quiet waiting">Loading the picture …</p>;
  if (picture.state === 'failed') {
    return <p class="quiet">The picture could not be loaded: the API does not respond.</p>;
  }
  return (
    <svg role="img" aria-label="Map of travel times" viewBox={`0 0 ${width} ${height}`}>
      <StripePattern scheme={scheme} />
      {picture.value}
    </svg>
  );
}
