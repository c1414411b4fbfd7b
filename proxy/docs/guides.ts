import { withCommas } from '../../shards/number-words.ts';
import type { ProxyConfig } from '../config.ts';
import { MAX_VALUES } from '../http/json-body.ts';
import { POLYGON_LIMITS, REQUEST_LIMITS } from '../http/request-limits.ts';
import { pricesInWords } from '../plans.ts';

/** A paragraph of advice, with `code` and [links](https://example.org) as in Markdown. */
interface Guide {
  readonly title: string;
  readonly text: string;
}

export function guidesOf(
  config: Pick<ProxyConfig, 'baseUrl' | 'freeRateLimitPerMinute' | 'batchRowBudget'>,
  keyAdvice: string,
): Guide[] {
  const { baseUrl, freeRateLimitPerMinute, batchRowBudget } = config;
  return [
    {
      title: 'Get a key',
      text: `${keyAdvice} Send it with every metered request as \`Authorization: Bearer KEY\`, never in a URL.`,
    },
    {
      title: 'Prices',
      text: `${pricesInWords()} Every response has \`X-Tokens-Charged\` and \`X-Tokens-Remaining\`. A failed request costs nothing. \`GET /v1/plans\` lists all prices.`,
    },
    {
      title: 'Repeat for free',
      text: 'Send the `ETag` of a response back in `If-None-Match`. As long as the data has not changed, the response is 304 and free.',
    },
    {
      title: 'Pages',
      text: 'A paginated response has `next_cursor` and a `Link` header. Send the cursor back as `cursor` until it is null. Cursors stay valid across releases; `X-Data-Release` names the release of each page.',
    },
    {
      title: 'Batches',
      text: `POST routes take up to ${REQUEST_LIMITS.origins} origins. Origins that fail are listed in \`errors\`; the others still return rows. Origins that the balance, \`max_rows\` or the row budget does not cover are listed in \`truncated\`: send them again. Send an \`Idempotency-Key\` so that a repeated request is charged once.`,
    },
    {
      title: 'Formats',
      text: 'JSON by default. Request `text/csv`, `application/x-ndjson`, `application/vnd.apache.parquet` or, for rows with coordinates or of an area, `application/geo+json` in `Accept`. Compression follows `Accept-Encoding`.',
    },
    {
      title: 'Errors',
      text: 'Every error is an RFC 9457 problem document. Its `type` ends in a slug that stays the same, such as `block-not-found`; `detail` says what was wrong. The page at `type` says what to do; with `.md` after it, as Markdown. Include `X-Request-Id` when you ask for help.',
    },
    {
      title: 'Limits',
      text: `\`RateLimit\` and \`RateLimit-Policy\` state how many requests are left in the current window; routes without a key take ${freeRateLimitPerMinute} a minute from an address. After a 429 or 503, wait for the seconds in \`Retry-After\`. A body has at most ${withCommas(MAX_VALUES)} values, names included; a batch at most ${withCommas(batchRowBudget)} rows; a drawn area at most ${POLYGON_LIMITS}.`,
    },
    {
      title: 'AI assistants',
      text: `\`POST /mcp\` serves tools by the Model Context Protocol, with the same key. Claude Code: \`claude mcp add --transport http travel-times ${baseUrl}/mcp --header "Authorization: Bearer KEY"\`. Other clients take a server of streamable HTTP at \`${baseUrl}/mcp\` with that header. \`/llms.txt\` lists these pages as Markdown, and \`/openapi-summary.json\` is the OpenAPI document without examples, headers and errors.`,
    },
  ];
}
