import type { ToolLink, ToolSite } from './tool.ts';

/** Address of the portal's map in a state (`infra/docs/maps.md`); none without a portal. */
export function mapLink(
  { accountUrl }: ToolSite,
  state: Readonly<Record<string, string>>,
): readonly ToolLink[] {
  if (accountUrl === null) return [];
  const fragment = new URLSearchParams({ x: '1', ...state });
  return [{ name: 'Map', uri: `${accountUrl}/map#${fragment}`, mimeType: 'text/html' }];
}
