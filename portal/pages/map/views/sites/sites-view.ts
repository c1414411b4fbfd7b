import { groundSwatches } from '../../panels/legend-swatches.ts';
import type { MapView } from '../map-view.ts';
import { SitesPanel } from './sites-panel.tsx';
import { sitesBody } from './sites-request.ts';

const NO_BLOCKS = { geoids: new Float64Array(), classes: new Uint8Array() };

/** Sites of one's own, set by clicks; no block is coloured. */
export const sitesView: MapView = {
  name: 'Sites',
  sides: 0,
  title: () => 'Sites of your own',
  legend: ({ catalogue, scheme }) => groundSwatches(catalogue.baseMap, scheme),
  modes: ({ mode }) => [mode],
  shown: ({ choice: { mode } }) => ({
    of: 'classes',
    name: 'sites',
    modes: [mode],
    palette: 'classes',
    blocks: NO_BLOCKS,
  }),
  minutesOf: () => null,
  Panel: SitesPanel,
  requests({ state: { sites, sitesBy }, choice: { mode } }) {
    if (sites.length === 0) return [];
    return [
      {
        name: 'People near the sites',
        path: '/v1/sites/coverage',
        operation: 'measureSites',
        parameters: { ...sitesBody(sites, { ...sitesBy, mode }) },
        isPost: true,
        rows: 'results',
      },
    ];
  },
};
