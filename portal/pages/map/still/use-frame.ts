import type { RefObject } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { useMap } from '../state/map-context.ts';
import { type Frame, frameAt, positionOf } from '../tiles/frame.ts';

/** The part of the world that an element shows; null until the size of the element is known. */
export function useFrame(place: RefObject<HTMLElement | null>): Frame | null {
  const { catalogue, state } = useMap();
  const { bounds } = catalogue;
  const { position } = state;
  const [{ width, height }, setSize] = useState({ width: 0, height: 0 });
  useEffect(() => {
    const observer = new ResizeObserver(([{ contentRect }]) =>
      setSize({ width: contentRect.width, height: contentRect.height }),
    );
    observer.observe(place.current!);
    return () => observer.disconnect();
  }, []);
  return useMemo(
    () =>
      width > 0 && height > 0
        ? frameAt(position ?? positionOf(bounds, width, height), width, height)
        : null,
    [position?.zoom, position?.lat, position?.lon, bounds, width, height],
  );
}
