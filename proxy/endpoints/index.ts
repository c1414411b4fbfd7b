import type { Endpoint } from '../endpoint.ts';
import { access } from './access.ts';
import { addresses } from './addresses.ts';
import { areaAccess } from './area-access.ts';
import { poisCatchment } from './batch-catchments.ts';
import { blocksPois, pointsPois } from './batch-poi-times.ts';
import { blocksSummary, pointsSummary } from './batch-summaries.ts';
import { tripsExplain } from './batch-trips.ts';
import { blockBands } from './block-bands.ts';
import { blocksMatch } from './blocks-match.ts';
import { blocksQuery } from './blocks-query.ts';
import { catalogue } from './catalogue.ts';
import { changes } from './changes.ts';
import { coverage } from './coverage.ts';
import { explain } from './explain.ts';
import { createExportLink, exportList } from './exports.ts';
import { health, ready } from './health.ts';
import { isochrone } from './isochrone.ts';
import { isochroneMeta, isochroneTile, tileArchives, tileJson } from './isochrone-tiles.ts';
import { placeBlocks } from './place-blocks.ts';
import { placePois } from './place-pois.ts';
import { places } from './places.ts';
import { poiCatchment } from './poi-catchment.ts';
import { poiDetail } from './poi-detail.ts';
import { poiSearch } from './poi-search.ts';
import { blockPois, pointPois } from './poi-times.ts';
import { releaseList } from './releases.ts';
import { sitesCoverage } from './sites-coverage.ts';
import { sitesSupply } from './sites-supply.ts';
import { blockSummary, pointSummary } from './summary.ts';
import { tokens } from './tokens.ts';

/** Every route of the API, in the order of its document. */
export const ENDPOINTS: readonly Endpoint[] = [
  health,
  ready,
  ...catalogue,
  releaseList,
  ...places,
  addresses,
  tokens,
  blockSummary,
  blockPois,
  explain,
  pointSummary,
  pointPois,
  poiSearch,
  poiDetail,
  poiCatchment,
  placeBlocks,
  placePois,
  blocksQuery,
  ...coverage,
  blocksMatch,
  sitesCoverage,
  sitesSupply,
  blocksSummary,
  blocksPois,
  pointsSummary,
  pointsPois,
  ...access,
  ...areaAccess,
  changes,
  poisCatchment,
  tripsExplain,
  isochroneMeta,
  isochrone,
  exportList,
  createExportLink,
  tileArchives,
  blockBands,
  tileJson,
  isochroneTile,
];
