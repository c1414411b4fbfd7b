import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { BAND_ENDS } from '../../../shards/bands/time-bands.ts';
import { classLabel, MAP_COLOURS } from '../../map-classes.ts';
import type { Boundary, Place } from '../api/release.ts';
import { useFresh } from '../api/use-loaded.ts';
import { useColourScheme } from '../map/drawing/use-colour-scheme.ts';
import { ScaleBar, useUnits } from '../parts/units.tsx';
import { type Drawing, drawOutline } from './outline.ts';

const SIZE = { width: 480, height: 320 };

/** A place and its outline, drawn over the minutes from its blocks to the nearest POI of a type. */
export function PlaceMap(props: {
  readonly place: Place | null;
  readonly outline: Boundary | null;
  /** The archive of bands; null if the release has none. */
  readonly bandsUrl: string | null;
}) {
  const { place, outline, bandsUrl } = props;
  const drawing = useMemo(() => outline && drawOutline(outline, SIZE), [outline]);
  const bands = useBands(bandsUrl, drawing);
  const colours = MAP_COLOURS[useColourScheme()];
  const units = useUnits();
  if (place === null || drawing === null) return <Ground />;
  const { path, frame } = drawing;
  return (
    <Ground label={`Map of ${place.name}, ${place.state}`} outside={colours.outside}>
      <path class="outline" d={path} fill-rule="evenodd" fill={colours.beyond} />
      <g class="bands" key={path}>
        {bands.map((band, i) => (
          <path key={BAND_ENDS[i]} d={band} fill={colours.classes[i]} />
        ))}
      </g>
      <path class="outline" d={path} fill="none" />
      <ScaleBar
        x={16}
        y={SIZE.height - 16}
        width={SIZE.width}
        perMetre={frame.perMetre}
        units={units}
        ink="var(--ink)"
        halo="var(--surface)"
      />
    </Ground>
  );
}

export function BandLegend() {
  const colours = MAP_COLOURS[useColourScheme()];
  const swatches = [
    ...BAND_ENDS.map((_, i) => ({ label: classLabel(i), colour: colours.classes[i] })),
    { label: '> 30', colour: colours.beyond },
  ];
  return (
    <ol class="band-legend" aria-label="Minutes">
      {swatches.map(({ label, colour }) => (
        <li key={label}>
          <svg viewBox="0 0 10 4" preserveAspectRatio="none" aria-hidden="true">
            <rect width="10" height="4" fill={colour} />
          </svg>
          {label}
        </li>
      ))}
    </ol>
  );
}

/** The path of each class; an empty list until the paths are loaded, and if they cannot be. */
function useBands(url: string | null, drawing: Drawing | null): readonly string[] {
  const loaded = useFresh(async () => {
    if (url === null || drawing === null) return [];
    const { bandPaths } = await import('../map/tiles/vector-tiles.ts');
    const { box, position, place } = drawing.frame;
    return bandPaths(url, box, Math.ceil(position.zoom), place);
  }, [url, drawing]);
  return loaded.value ?? [];
}

function Ground(props: {
  readonly label?: string;
  readonly outside?: string;
  readonly children?: ComponentChildren;
}) {
  const { label, outside = 'none', children } = props;
  return (
    <svg
      class="map"
      viewBox={`0 0 ${SIZE.width} ${SIZE.height}`}
      role={label ? 'img' : undefined}
      aria-label={label}
      aria-hidden={label === undefined}
    >
      <rect width="100%" height="100%" fill={outside} />
      {children}
    </svg>
  );
}
