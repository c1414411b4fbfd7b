import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import { ApiError, type Client, type ParamsOf } from '../../portal/client/src/index.ts';
import { withCommas } from '../../shards/number-words.ts';
import { truncate } from '../http/problem.ts';
import { type AdvisedSite, adviceOn } from './advice.ts';
import type { ToolLink } from './tool.ts';

/** A request for blocks; without a `limit`, it matches as many as a page holds. */
type BlockRequest = ParamsOf<'matchBlocks'>;

/** Media types of the table, by the format that its address names. */
const MEDIA_TYPES = { csv: 'text/csv', parquet: 'application/vnd.apache.parquet' } as const;
const FORMATS = ['csv', 'parquet'] as const;
const TEMPLATE = 'table://blocks/{format}/{request}';
/** Maximum rows of a table: one page, so that it is charged as a whole or not at all. */
const MAX_ROWS = 1_000;
const MAX_QUOTED = 100;
const ABOUT = `Matching blocks, a token each: reading costs up to ${withCommas(MAX_ROWS)} tokens.`;

/**
 * Returns links to all blocks that a request matches, as tables that clients read by
 * `resources/read`. The address contains the request, so that any process can respond.
 */
export function tableLinks(request: BlockRequest): readonly ToolLink[] {
  return FORMATS.map((format) => ({
    name: format === 'csv' ? 'CSV' : 'Parquet',
    uri: addressOf(format, request),
    mimeType: MEDIA_TYPES[format],
    description: ABOUT,
  }));
}

/**
 * Registers the tables as resources. The `_meta` of a table has its price, and the address of the
 * next table if there are more rows.
 */
export function registerBlockTable(server: McpServer, client: Client, site: AdvisedSite): void {
  const template = new ResourceTemplate(TEMPLATE, { list: undefined });
  const about = { description: `${ABOUT} Addresses are links of find_blocks.` };
  server.registerResource('Blocks', template, about, async ({ href }, { format, request }) => {
    const known = FORMATS.find((one) => one === format);
    const asked = requestIn(String(request));
    if (known === undefined || asked === null) {
      throw new ResourceNotFoundError(truncate(href, MAX_QUOTED));
    }
    const mimeType = MEDIA_TYPES[known];
    try {
      const page = { limit: MAX_ROWS, ...asked };
      const { data, tokens, headers } = await client.matchBlocks(page, { accept: mimeType });
      const cursor = headers.get('x-next-cursor');
      const next = cursor === null ? null : addressOf(known, { ...asked, cursor });
      const rows =
        typeof data === 'string' ? { text: data } : { blob: Buffer.from(data).toString('base64') };
      const _meta = { tokens: tokens.charged, next };
      return { contents: [{ uri: href, mimeType, ...rows, _meta }] };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, adviceOn(error, site, 0));
    }
  });
}

function addressOf(format: keyof typeof MEDIA_TYPES, request: BlockRequest): string {
  const text = Buffer.from(JSON.stringify(request)).toString('base64url');
  return TEMPLATE.replace('{format}', format).replace('{request}', text);
}

/** Decodes the request in an address, which the API validates; null if there is none. */
function requestIn(text: string): BlockRequest | null {
  try {
    const value = JSON.parse(Buffer.from(text, 'base64url').toString());
    return typeof value === 'object' && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
