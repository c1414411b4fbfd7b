import type { ToolLink, ToolSite } from './tool.ts';
import type { NamedType, TypeCatalogue } from './type-catalogue.ts';

/** Middle of a map. */
interface MapPosition {
  readonly lat: number;
  readonly lon: number;
  readonly zoom: number;
}

/** Zooms at which some streets, and a city, fill a map. */
export const STREETS_ZOOM = 14;
export const CITY_ZOOM = 12;

/** A state of the map, and how the link to it is described. */
interface MapView {
  readonly state: Readonly<Record<string, string>>;
  readonly description?: string;
}

/** The map of a type: of its first leaf type if it has several, since each has a map of its own. */
export function mapOfType(
  catalogue: TypeCatalogue,
  { leafIds }: NamedType,
  state: MapView['state'],
): MapView {
  const [leaf] = leafIds;
  return {
    state: { ...state, t: String(leaf) },
    ...(leafIds.length > 1 && { description: `${catalogue.nameOf(leaf)} only` }),
  };
}

/**
 * Address of the portal's map in a state (`infra/docs/maps.md`); none without a portal. Without a
 * position the map opens on the whole release.
 */
export function mapLink(
  { accountUrl }: ToolSite,
  { state, description }: MapView,
  position?: MapPosition,
): readonly ToolLink[] {
  if (accountUrl === null) return [];
  const fragment = new URLSearchParams({ x: '1', ...state });
  // Slashes are as the map writes them itself.
  const map = position && `&map=${position.zoom}/${position.lat}/${position.lon}`;
  const uri = `${accountUrl}/map#${fragment}${map ?? ''}`;
  return [{ name: 'Map', uri, mimeType: 'text/html', ...(description && { description }) }];
}
