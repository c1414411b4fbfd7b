import { MAX_POI_MINUTES, MINUTES } from '../../shards/matrix/row-codec.ts';
import { boundsSchema } from '../bounds.ts';
import type { ProxyConfig } from '../config.ts';
import type { Endpoint } from '../endpoint.ts';
import { SITES_SCHEMAS } from '../fields/sites.ts';
import { buildDocument, type DocumentedOperation } from '../http/openapi-document.ts';
import { PLANS } from '../plans.ts';
import { HEAD_HEADERS } from './headers.ts';
import { AlikeResponses, operation } from './operations.ts';
import { otherOperations } from './other-operations.ts';
import { problemResponses } from './problems.ts';

interface DocumentedService
  extends Pick<ProxyConfig, 'baseUrl' | 'version' | 'batchRowBudget' | 'accountUrl'> {
  readonly problemBase: string;
}

export function openApiDocument(endpoints: readonly Endpoint[], service: DocumentedService) {
  const { baseUrl, version, accountUrl, batchRowBudget, problemBase } = service;
  const problems = problemResponses(problemBase, accountUrl);
  const alike = new AlikeResponses();
  const operations = endpoints.map(
    (endpoint): DocumentedOperation => ({
      path: endpoint.path,
      method: endpoint.access === 'posted' ? 'post' : 'get',
      described: operation(endpoint, problems, alike),
    }),
  );
  return buildDocument(
    {
      title: 'Travel-Time Access Service',
      version,
      description: descriptionWith(batchRowBudget, accountUrl),
      serverUrl: baseUrl,
      ...(accountUrl !== undefined && {
        externalDocs: { description: 'Portal: keys and tokens', url: accountUrl },
      }),
      tags: [
        { name: 'Blocks', description: 'Travel times from a census block.' },
        { name: 'Points', description: 'Travel times from the block that contains a point.' },
        { name: 'POIs', description: 'Points of interest: search, detail, catchment.' },
        { name: 'Areas', description: 'Travel times and POIs of a whole area.' },
        { name: 'Coverage', description: 'Sums over the blocks of an area; criteria; sites.' },
        { name: 'Exports', description: 'Tables of the release as files.' },
        { name: 'Isochrones', description: 'Travel-time contours, and tiles for maps.' },
        { name: 'Places', description: 'Census places: cities and towns. Free.' },
        { name: 'Catalogue', description: 'Modes, types, versions, prices. Free.' },
        { name: 'Account', description: 'Token balance.' },
        { name: 'Service', description: 'Health of the service.' },
      ],
      components: {
        responses: {
          Head: {
            description:
              'The response to HEAD, which every GET route also accepts, if the GET would succeed; otherwise the status and headers of the GET. Neither has a body.',
            headers: HEAD_HEADERS,
          },
        },
        schemas: { MaxRows: maxRows(batchRowBudget), ...SITES_SCHEMAS },
        securitySchemes: {
          apiKey: {
            type: 'http',
            scheme: 'bearer',
            description: `An API key, \`ta_live_…\`${accountUrl === undefined ? '' : `, from ${accountUrl}`}. Never put it in a URL. Pages use a browser token of the portal instead, \`tb_live_…\`, with the \`Origin\` it is bound to.`,
          },
        },
      },
    },
    [...operations, ...otherOperations(problems)],
  );
}

const descriptionWith = (
  rowBudget: number,
  accountUrl: string | undefined,
) => `Travel times from every US census block: minutes on foot, by bike and by public transit to the nearest point of interest (POI) of each type, and to every single POI. Times are routed from block centres. Times to POIs are capped at ${MAX_POI_MINUTES} minutes: if a row is missing, the trip takes longer than that; \`unrouted\` lists modes that could not be routed from a block at all. Times between blocks, which isochrones are drawn from, go up to ${MINUTES.most} minutes.

Metered routes cost one token per returned row, at least one per request; coverage of an area or by sites at least ${PLANS.charges.area_minimum}; isochrones ${PLANS.charges.isochrone_contour} per contour; map tiles ${PLANS.charges.tile}; the legs of a trip ${PLANS.charges.explain}; exported tables what \`GET /v1/exports\` lists. Every GET route also accepts HEAD, with the same parameters. On a metered route, it costs one token, or nothing where the GET is free for members, and returns the price of the GET in \`X-Tokens-Cost\` (response \`Head\` of this document). Send the \`ETag\` of a response back as \`If-None-Match\`: if nothing has changed, the response is a 304, and free. A batch ends before the first origin that would take it past ${rowBudget} rows, or \`max_rows\`; its first origin is always returned whole. The price of a POST cannot be queried in advance.${accountUrl === undefined ? '' : ` Create keys and buy tokens at ${accountUrl}.`}

The examples are from the current release and cost little; their lists and outlines are shortened.`;

function maxRows(rowBudget: number) {
  return {
    ...boundsSchema('integer', { min: 1, max: rowBudget }),
    description: `Maximum number of rows to return and to charge; by default ${rowBudget}. Origins are returned whole, and the first regardless of its rows; the others are listed in \`truncated\`, with \`row-budget\`.`,
  };
}
