import { z } from 'zod';
import type { Release } from '../../shards/release/release.ts';
import type { Minutes } from '../../shards/units.ts';
import { postEndpoint } from '../endpoint.ts';
import { AREA_PROBLEMS, area, requestedArea, smallArea } from '../fields/area.ts';
import { members, required, withDefault } from '../fields/field.ts';
import { directionLabel } from '../fields/opportunities.ts';
import type { SitesMember } from '../fields/parse-sites.ts';
import { modeLabel, WINDOW, weight } from '../fields/rows.ts';
import { candidates, choose, minutes, type SentSites, sites, uncovered } from '../fields/sites.ts';
import { invalidMember } from '../http/problem.ts';
import { PLANS } from '../plans.ts';
import type { Area } from '../queries/areas/area.ts';
import { requestedWeights } from '../queries/block-weights.ts';
import { modePosition, requestedLeaves } from '../queries/modes-and-types.ts';
import { checkDirection } from '../queries/origins/near-points.ts';
import type { Site, SiteSource } from '../queries/sites/locate-sites.ts';
import {
  type LocatedQuery,
  locateQuery,
  priceOfSites,
  querySites,
  refuseMisplaced,
  type SitesQuery,
} from '../queries/sites/sites.ts';
import {
  siteCoverageRow,
  siteResults,
  siteRow,
  sitesArea,
  sitesFrom,
} from '../schemas/coverage-schemas.ts';

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
    '(`list`: `area`). `sites` may be ' +
    'the POIs of a `type`, whose ids are their `dest_id`s: those in an `area` of their own, or else ' +
    'all of the release that are within the last of `minutes` of any block of the `area`, in it or ' +
    'outside; `sites_from` of the response says which. `candidates` may be an area, of which each ' +
    'block is one, by its GEOID. A site may have an `address` in place of coordinates; `match` is what `GET /v1/addresses` found and what was ' +
    'taken. A site or candidate without a block to route from, without valid coordinates, or with ' +
    'an address that is not certain, is listed in `errors`, and its row says why in `error`; if all are malformed or ' +
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
  rows: { geometry: 'point', row: siteRow },
  responseDescription: 'The sums of the area, the sites and the candidates.',
  response: z.object({
    area: sitesArea,
    sites_from: sitesFrom.optional(),
    results: z.array(siteCoverageRow),
    ...siteResults,
  }),
  problems: [...AREA_PROBLEMS, 'point-not-covered', 'poi-not-found', 'direction-not-available'],

  async resolve(release, body): Promise<SitesQuery> {
    const { sites, candidates = [], choose, uncovered, mode, direction, weight, minutes } = body;
    if (isNone(sites) && isNone(candidates)) {
      throw invalidMember('sites', 'send at least one site or candidate', 'too_small');
    }
    if (choose !== undefined && isNone(candidates)) {
      throw invalidMember('choose', 'send candidates to choose from', 'missing');
    }
    const area = body.area ? await requestedArea(body.area, release.turns) : null;
    const lists = {
      sites: await sourceOfSites(release, sites, area, minutes[minutes.length - 1]),
      candidates: await sourceOfCandidates(release, candidates),
    };
    refuseMisplaced(release, lists);
    const position = modePosition(release, mode, 'body');
    checkDirection(release, direction);
    return {
      ...lists,
      choose: choose ?? 0,
      uncovered: uncovered ?? 0,
      area,
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

function isPoints<M extends SitesMember>(sent: SentSites<M>): sent is readonly Site[] {
  return Array.isArray(sent);
}

export function isNone(sent: SentSites<SitesMember>): boolean {
  return isPoints(sent) && sent.length === 0;
}

/** Resolves sites; those of a type without an area are those near that of the request. */
export async function sourceOfSites(
  release: Release,
  sent: SentSites<'sites'>,
  area: Area | null,
  most: Minutes,
): Promise<SiteSource> {
  if (isPoints(sent)) return { kind: 'points', points: sent };
  const types = requestedLeaves(release, [sent.type], ['body', 'sites', 'type'])!;
  const own = sent.area && (await requestedArea(sent.area, release.turns, ['sites', 'area']));
  if (own) return { kind: 'pois', types, area: own, within: null };
  if (area) return { kind: 'pois', types, area, within: most };
  throw invalidMember(
    'sites',
    'sites of a type need an area: send one in sites, or in the body',
    'missing',
  );
}

async function sourceOfCandidates(
  { turns }: Release,
  sent: SentSites<'candidates'>,
): Promise<SiteSource> {
  if (isPoints(sent)) return { kind: 'points', points: sent };
  return { kind: 'blocks', area: await requestedArea(sent, turns, ['candidates']) };
}
