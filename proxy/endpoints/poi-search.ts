import { z } from 'zod';
import type { ReleaseCounty } from '../../shards/release/release.ts';
import { meteredEndpoint } from '../endpoint.ts';
import { bbox, bboxNumbers, invalidBox } from '../fields/bounding-box.ts';
import { NONE, parameters } from '../fields/field.ts';
import { CENTRE, radius } from '../fields/locations.ts';
import { cursor, destType, limit, nameSearched } from '../fields/rows.ts';
import { invalidParameter, Problem } from '../http/problem.ts';
import type { ResolvedQuery } from '../metering/query-cache.ts';
import { areExchanged, EXCHANGED } from '../queries/exchanged-coordinates.ts';
import { poiSchema } from '../queries/pois/poi-columns.ts';
import {
  countiesWithPois,
  querySearch,
  type ResolvedSearch,
  resolveSearch,
} from '../queries/pois/poi-search.ts';
import { boxArea, circleArea, type SearchedArea } from '../queries/searched-area.ts';
import { nextCursor } from '../schemas/schemas.ts';

type ResolvedPoiSearch = ResolvedQuery &
  ResolvedSearch & {
    readonly area: SearchedArea;
    readonly counties: readonly ReleaseCounty[];
  };

const query = parameters({
  bbox,
  ...CENTRE,
  radius_m: radius,
  type: destType,
  q: nameSearched,
  limit,
  cursor,
});

export const poiSearch = meteredEndpoint({
  access: 'metered',
  path: '/v1/pois',
  operationId: 'searchPois',
  summary: 'Search POIs in a box or around a point',
  description:
    'Send either `bbox`, or `lat`, `lon` and `radius_m`. A box whose west edge is east of ' +
    'its east edge crosses the antimeridian. Spatial only: no travel times. In a fixed spatial ' +
    'order, paginated; over a very large area a page may hold fewer rows than `limit` without ' +
    'being the last: only a null `next_cursor` marks the end. One token per row, at least one ' +
    'per page.',
  tag: 'POIs',
  params: NONE,
  query,
  rows: { geometry: 'point' },
  responseDescription: 'A page of POIs.',
  response: z.object({ results: z.array(poiSchema), next_cursor: nextCursor }),
  problems: ['missing-location', 'invalid-bbox', 'invalid-cursor'],

  resolve(
    release,
    { query: { type, q, limit, cursor, ...where } },
    { cursors },
  ): ResolvedPoiSearch {
    const area = searchedAreaOf(where);
    if (areExchanged(release, area.boxes)) {
      if (where.bbox !== undefined) throw invalidBox(EXCHANGED);
      const msg = `the circle ${EXCHANGED}`;
      throw invalidParameter(['query', 'lat'], msg, 'exchanged');
    }
    const counties = countiesWithPois(release, area);
    const spelled = { ...where, bbox: where.bbox && bboxNumbers(where.bbox) };
    return {
      ...resolveSearch(release, cursors, 'poi-search', spelled, { type, q, limit, cursor }),
      dependsOn: counties.map(({ manifest: { objects } }) => objects.catchment),
      area,
      counties,
    };
  },

  respond: (release, resolved, context) =>
    querySearch(release, context, resolved, resolved.counties, resolved.area),
});

type Where = Pick<z.output<typeof query>, 'bbox' | 'lat' | 'lon' | 'radius_m'>;

function searchedAreaOf({ bbox, lat, lon, radius_m }: Where): SearchedArea {
  const hasPoint = lat !== undefined || lon !== undefined || radius_m !== undefined;
  if (bbox !== undefined) {
    if (!hasPoint) return boxArea(...bboxNumbers(bbox));
    throw invalidParameter(
      ['query', 'bbox'],
      'send bbox, or lat, lon and radius_m, but not both',
      'conflict',
    );
  }
  if (lat !== undefined && lon !== undefined && radius_m !== undefined) {
    return circleArea(lon, lat, radius_m);
  }
  throw new Problem('missing-location', 'send bbox, or all three of lat, lon and radius_m');
}
