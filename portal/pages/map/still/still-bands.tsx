import { useEffect, useRef } from 'preact/hooks';
import { MAP_COLOURS } from '../../../map-classes.ts';
import { useLoaded } from '../../api/use-loaded.ts';
import { useColourScheme } from '../drawing/use-colour-scheme.ts';
import { useFrame } from './use-frame.ts';

/** The reader of tiles is loaded while the release is. */
const tileReader = import('../tiles/vector-tiles.ts');
tileReader.catch(() => {});

/**
 * The bands alone, as a picture under the map that is seen until MapLibre has drawn them. `onRead`:
 * called when the bands are read, or have failed to load, so that all else may follow.
 */
export function StillBands(props: { readonly bandsUrl: string; readonly onRead: () => void }) {
  const { bandsUrl, onRead } = props;
  const place = useRef<HTMLDivElement>(null);
  const frame = useFrame(place);
  const { classes, outside } = MAP_COLOURS[useColourScheme()];
  const bands = useLoaded(async () => {
    const { bandPaths } = await tileReader;
    if (frame === null) return null;
    return bandPaths(bandsUrl, frame.box, frame.position.zoom, frame.place);
  }, [bandsUrl, frame]);
  const paths = bands.value;
  // The map itself reports that the API does not respond.
  const isRead = paths !== null || bands.state === 'failed';
  useEffect(() => {
    if (isRead) onRead();
  }, [isRead]);
  return (
    <div ref={place} class="still-bands">
      <svg aria-hidden="true">
        <rect width="100%" height="100%" fill={outside} />
        {paths?.map((d, i) => (
          <path key={classes[i]} d={d} fill={classes[i]} />
        ))}
      </svg>
    </div>
  );
}
