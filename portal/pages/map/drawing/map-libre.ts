import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?url';

export { workerUrl };

/** Loads the map drawn by MapLibre, which is larger than everything else together. */
export const loadMapLibre = () => import('./draw-map.ts');

/** Starts loading MapLibre and, in parallel, the script of its workers. */
export function prefetchMapLibre(): void {
  const workers = fetch(workerUrl).then((response) => response.blob());
  for (const loading of [loadMapLibre(), workers]) {
    // A failure is shown where the map would be.
    loading.catch(() => {});
  }
}

let known: boolean | undefined;

/** Whether the browser can draw the map; tested once, since the test starts the graphics. */
export function hasWebgl(): boolean {
  known ??= canDraw();
  return known;
}

function canDraw(): boolean {
  try {
    return document.createElement('canvas').getContext('webgl2') !== null;
  } catch {
    return false;
  }
}
