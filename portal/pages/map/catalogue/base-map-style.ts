import type { StyleSpecification } from 'maplibre-gl';

/** The map below the blocks: an archive of the release, or the style of another service. */
export type BaseMap = { readonly archive: string } | { readonly style: StyleSpecification };

/**
 * Returns the base map of the portal's `MAP_STYLE_URL`, or else of the release; null if there is
 * neither. If the style cannot be loaded, the release's own map is used.
 */
export async function loadBaseMap(
  styleUrl: string | undefined,
  archive: string | undefined,
): Promise<BaseMap | null> {
  const style = styleUrl === undefined ? null : await loadStyle(styleUrl).catch(() => null);
  if (style !== null) return { style };
  return archive === undefined ? null : { archive };
}

const TIMEOUT_MS = 10_000;

async function loadStyle(url: string): Promise<StyleSpecification | null> {
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  return response.ok ? await response.json() : null;
}
