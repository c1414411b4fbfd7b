import { readFileSync } from 'node:fs';
import type { McpServer } from '@modelcontextprotocol/server';
import type { ToolSite } from './tool.ts';

/** Address of the map as an MCP App, a page that hosts show beside the results of tools. */
const MAP_APP = 'ui://map';
const MEDIA_TYPE = 'text/html;profile=mcp-app';

const page = readFileSync(new URL('./map-app.html', import.meta.url), 'utf8');

/** Metadata of a tool whose results the map shows. */
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
