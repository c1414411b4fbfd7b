import { readFileSync } from 'node:fs';
import type { McpServer } from '@modelcontextprotocol/server';
import type { ToolLink, ToolSite } from './tool.ts';
import type { NamedType, TypeCatalogue } from './type-catalogue.ts';

interface MapPosition {
  readonly lat: number;
  readonly lon: number;
  readonly zoom: number;
}

/** Zoom levels at which a few streets, or a city, fill a map. */
export const STREETS_ZOOM = 14;
export const CITY_ZOOM = 12;

interface MapView {
  readonly state: Readonly<Record<string, string>>;
  readonly description?: string;
}

/**
 * Returns the map of a type, or of its first leaf type if the type has several, since each leaf
 * type has a map of its own.
 */
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
 * Returns a link to the portal's map in a state (`infra/docs/maps.md`); none without a portal.
 * Without a position the map opens on the whole release.
 */
export function mapLink(
  { accountUrl }: ToolSite,
  { state, description }: MapView,
  position?: MapPosition,
): readonly ToolLink[] {
  if (accountUrl === null) return [];
  const fragment = new URLSearchParams({ x: '1', ...state });
  // Slashes stay unencoded, as the map itself writes them.
  const map = position && `&map=${position.zoom}/${position.lat}/${position.lon}`;
  const uri = `${accountUrl}/map#${fragment}${map ?? ''}`;
  return [{ name: 'Map', uri, mimeType: 'text/html', ...(description && { description }) }];
}

/** Address of the map as an MCP App, a page that hosts show beside the results of tools. */
const MAP_APP = 'ui://map';
const MEDIA_TYPE = 'text/html;profile=mcp-app';

const page = readFileSync(new URL('./map-app.html', import.meta.url), 'utf8');

export const SHOWN_ON_MAP = { ui: { resourceUri: MAP_APP } };

/**
 * Registers the page, which may show the portal in a frame and nothing else; none without a portal.
 */
export function registerMapApp(server: McpServer, { accountUrl }: ToolSite): void {
  if (accountUrl === null) return;
  const { origin } = new URL(accountUrl);
  const _meta = { ui: { csp: { frameDomains: [origin] }, prefersBorder: false } };
  server.registerResource('Map', MAP_APP, { mimeType: MEDIA_TYPE, _meta }, ({ href }) => ({
    contents: [{ uri: href, mimeType: MEDIA_TYPE, text: page, _meta }],
  }));
}
