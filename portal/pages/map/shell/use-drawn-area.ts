import { useState } from 'preact/hooks';
import type { MapMarker } from '../drawing/map-markers.ts';
import type { Drawing } from '../panels/area-tools.tsx';
import { type Area, ringOf } from '../state/area.ts';
import type { Point } from '../state/codecs.ts';
import { degrees } from '../state/codecs.ts';
import { useMap } from '../state/map-context.ts';

export interface DrawnArea {
  readonly drawing: Drawing;
  readonly onDraw: (drawing: Drawing) => void;
  /** The corners of a polygon that is being drawn, and the centre of a circle. */
  readonly markers: readonly MapMarker[];
  /** Adds a corner or sets the centre. */
  readonly add: (at: Point) => void;
  /** Moves a marker, or removes it if `to` is null; false for a marker of anything else. */
  readonly move: (marker: string, to: Point | null) => boolean;
}

const CORNER = 'corner-';
const MIN_CORNERS = 3;
const FIRST_METRES = 1609;

export function useDrawnArea(): DrawnArea {
  const { state, change } = useMap();
  const { area } = state;
  const [drawing, setDrawing] = useState<Drawing>(null);
  /** The corners of a polygon that has too few of them to be an area. */
  const [begun, setBegun] = useState<readonly Point[]>([]);
  const circle = area !== null && typeof area !== 'string' && 'metres' in area ? area : null;
  const corners = drawing === 'polygon' ? (cornersOf(area) ?? begun) : circle ? [circle] : [];
  const setCorners = (next: readonly Point[]) => {
    setBegun(next);
    change({ area: next.length < MIN_CORNERS ? null : [[ringOf(next)]] });
  };
  const setCentre = (at: Point | null) => {
    const metres = circle?.metres ?? FIRST_METRES;
    change({ area: at && { lat: degrees(at.lat), lon: degrees(at.lon), metres } });
  };
  const markers = corners.map((at, i): MapMarker => {
    const what = circle ? 'Center' : `Corner ${i + 1}`;
    const title = `${what} of the area: drag to move it, Delete removes it`;
    return { id: CORNER + i, at, kind: 'corner', sign: '', title };
  });
  return {
    drawing,
    onDraw(next) {
      setDrawing(next);
      if (next !== 'polygon' || cornersOf(area) !== null) return;
      setCorners([]);
    },
    markers,
    add(at) {
      if (drawing === 'polygon') return setCorners([...corners, at]);
      setCentre(at);
      setDrawing(null);
    },
    move(marker, to) {
      if (!marker.startsWith(CORNER)) return false;
      const moved = Number(marker.slice(CORNER.length));
      if (circle) setCentre(to);
      else setCorners(corners.flatMap((at, i) => (i !== moved ? [at] : to ? [to] : [])));
      return true;
    },
  };
}

/** The corners of an area that was drawn; null for any other, which has too many or none. */
function cornersOf(area: Area | null): readonly Point[] | null {
  if (area === null || typeof area === 'string' || 'metres' in area) return null;
  const [[ring, ...holes], ...others] = area;
  if (holes.length + others.length > 0 || ring.length > MAX_CORNERS) return null;
  return ring.slice(0, -1).map(([lon, lat]) => ({ lat, lon }));
}

const MAX_CORNERS = 60;
