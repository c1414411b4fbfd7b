import type { ToolLink, ToolSite } from './tool.ts';

/** Middle of a map. */
interface MapPosition {
  readonly lat: number;
  readonly lon: number;
  readonly zoom: number;
}

/** Zooms at which some streets, and a city, fill a map. */
export const STREETS_ZOOM = 14;
export const CITY_ZOOM = 12;

/**
 * Address of the portal's map in a state (`infra/docs/maps.md`); none without a portal. Without a
 * position the map opens on the whole release.
 */
export function mapLink(
  { accountUrl }: ToolSite,
  state: Readonly<Record<string, string>>,
  position?: MapPosition,
): readonly ToolLink[] {
  if (accountUrl === null) return [];
  const fragment = new URLSearchParams({ x: '1', ...state });
  // Slashes are as the map writes them itself.
  const map = position && `&map=${position.zoom}/${position.lat}/${position.lon}`;
  return [{ name: 'Map', uri: `${accountUrl}/map#${fragment}${map ?? ''}`, mimeType: 'text/html' }];
}
