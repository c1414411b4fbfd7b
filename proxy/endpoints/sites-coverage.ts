import { z } from 'zod';
import { postEndpoint } from '../endpoint.ts';
import { AREA_PROBLEMS, area, requestedArea, smallArea } from '../fields/area.ts';
import { members, required, withDefault } from '../fields/field.ts';
import { directionLabel } from '../fields/opportunities.ts';
import { modeLabel, WINDOW, weight } from '../fields/rows.ts';
import { candidates, choose, minutes, sites, uncovered } from '../fields/sites.ts';
import { invalidParameters } from '../http/problem.ts';
import { PLANS } from '../plans.ts';
import { requestedWeights } from '../queries/block-weights.ts';
import { modePosition } from '../queries/modes-and-types.ts';
import { checkDirection } from '../queries/origins/near-points.ts';
import {
  type LocatedQuery,
  locateQuery,
  priceOfSites,
  querySites,
  refuseMisplaced,
  type SitesQuery,
} from '../queries/sites/sites.ts';
import { siteCoverageRow, siteResults, sitesArea } from '../schemas/coverage-schemas.ts';

export const sitesCoverage = postEndpoint({
  access: 'posted',
  path: '/v1/sites/coverage',
  operationId: 'measureSites',
  summary: 'People by minutes to the nearest of your own sites, and what more sites would add',
  description:
    '`results`: sums of each weight over the blocks of the area, by minutes to the nearest of the ' +
    '`sites`. `sites`: what is within reach of each, and `overlap`, the part of it that another ' +
    'site covers too. `gains`: what each candidate would add to the sites. `chosen`: up to ' +
    '`choose` candidates, each time the one that adds the most within the first of `minutes`, ' +
    'until none adds any. `uncovered`: up to `uncovered` blocks without a site within the last of ' +
    '`minutes`, those with the most of the first weight first. `sites`, `gains`, `chosen` and ' +
    '`uncovered` are of the first weight. Without `area`: all blocks of the ' +
    'release that any site or candidate reaches within the last of `minutes`. `area` of the ' +
    'response says what was counted. Times are those between the blocks of the points, in ' +
    'whole minutes (`precision`: `block`); for exact times build with the sites as POIs. In CSV, ' +
    'NDJSON and GeoJSON, `sites`, `gains` (`list`: `candidates`) and `uncovered` are rows with ' +
    'their coordinates, and `chosen` columns of them; the first rows of CSV are `results` ' +
    '(`list`: `area`). A site or candidate without a block to route from, or without valid ' +
    'coordinates, is listed in `errors`, and its row says why in `error`; if all are malformed or ' +
    'have lat and lon exchanged, the request is refused. Nothing that you send is stored. One ' +
    'token a site or candidate that has a block to route from, at least ' +
    `${PLANS.charges.sites_minimum}.`,
  tag: 'Coverage',
  body: members({
    sites,
    candidates,
    choose,
    uncovered,
    area,
    mode: required(modeLabel),
    ...WINDOW,
    direction: withDefault(directionLabel, 'to', {
      description: 'Towards the point, or away from it.',
    }),
    weight,
    minutes,
  }),
  requestExample: (marks) => ({
    sites: [{ id: 'here', ...marks.point }],
    candidates: [{ id: 'there', lon: marks.poi.lon, lat: marks.poi.lat }],
    choose: 1,
    area: smallArea(marks),
    mode: marks.mode,
    minutes: [5, 10],
  }),
  rows: { geometry: 'point' },
  responseDescription: 'The sums of the area, the sites and the candidates.',
  response: z.object({ area: sitesArea, results: z.array(siteCoverageRow), ...siteResults }),
  problems: [...AREA_PROBLEMS, 'point-not-covered', 'direction-not-available'],

  async resolve(release, body, _services): Promise<SitesQuery> {
    const {
      sites,
      candidates = [],
      choose,
      uncovered,
      area,
      mode,
      direction,
      weight,
      minutes,
    } = body;
    if (sites.length + candidates.length === 0) {
      throw refusal('sites', 'send at least one site or candidate', 'too_small');
    }
    if (choose !== undefined && candidates.length === 0) {
      throw refusal('choose', 'send candidates to choose from', 'missing');
    }
    refuseMisplaced(release, { sites, candidates });
    const position = modePosition(release, mode, 'body');
    checkDirection(release, direction);
    return {
      sites,
      candidates,
      choose: choose ?? 0,
      uncovered: uncovered ?? 0,
      area: area ? await requestedArea(area, release.turns) : null,
      mode: position,
      direction,
      weights: requestedWeights(release, weight, 'body'),
      minutes,
    };
  },

  locate: locateQuery,
  price: priceOfSites,
  leastPrice: PLANS.charges.sites_minimum,
  respond: (release, query: LocatedQuery, context) => querySites(release, context, query),
});

function refusal(member: string, msg: string, type: string) {
  return invalidParameters([{ loc: ['body', member], msg, type }]);
}
