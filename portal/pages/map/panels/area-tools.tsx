import { distanceUnit } from '../../formats.ts';
import { FileField } from '../../parts/file-field.tsx';
import type { Area } from '../state/area.ts';
import { MAX_CIRCLE_METRES } from '../state/area.ts';
import { useMap } from '../state/map-context.ts';

/** Shapes that clicks on the map draw. */
export type Drawing = 'polygon' | 'circle' | null;

/** Tools to draw an area, to change its radius, or to open it from a file. */
export function AreaTools(props: {
  readonly drawing: Drawing;
  readonly onDraw: (drawing: Drawing) => void;
}) {
  const { drawing, onDraw } = props;
  return (
    <>
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
      <Radius area={useMap().state.area} />
      <AreaFile />
    </>
  );
}

const HOW_TO_DRAW = {
  polygon:
    'Click its corners on the map, or press Enter at the cross. Drag a corner to move it; Delete removes it. Press “Draw a polygon” again when it is complete.',
  circle: 'Click its center on the map, or press Enter at the cross. Drag the center to move it.',
};

/** The radius of a circle, in the units of this browser. */
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

/** Opens a GeoJSON file, whose polygons become the area. */
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
