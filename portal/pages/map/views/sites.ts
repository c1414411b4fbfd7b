import { sitesBody } from '../paid/sites-request.ts';
import { groundSwatches } from '../panels/legend-swatches.ts';
import { SitesPanel } from '../panels/sites-panel.tsx';
import type { MapView } from './map-view.ts';

const NO_BLOCKS = { geoids: new Float64Array(), classes: new Uint8Array() };

/** Sites of one's own, set by clicks; no block is coloured. */
export const sitesView: MapView = {
  name: 'Sites',
  sides: 0,
  title: () => 'Sites of your own',
  legend: (_, __, baseMap, scheme) => groundSwatches(baseMap, scheme),
  modes: ({ mode }) => [mode],
  shown: (_, { mode }) => ({
    of: 'classes',
    name: 'sites',
    modes: [mode],
    palette: 'classes',
    blocks: NO_BLOCKS,
  }),
  Panel: SitesPanel,
  requests({ state: { sites }, sitesQuery }) {
    if (sites.length === 0) return [];
    return [
      {
        name: 'People near the sites',
        path: '/v1/sites/coverage',
        operation: 'measureSites',
        parameters: { ...sitesBody(sites, sitesQuery) },
        isPost: true,
        rows: 'results',
      },
    ];
  },
};
