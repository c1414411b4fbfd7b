import { onRequest } from '../../../parts/failed-script.tsx';
import { mapTitle } from '../../catalogue/catalogue.ts';
import { minutesTo, reachClasses, reachesWithin } from '../../measures/reach.ts';
import { MAX_MINUTES } from '../../state/map-state.ts';
import { bandWords, type MapView } from '../map-view.ts';
import { shownNearest } from '../nearest/nearest-view.ts';
import { classesWithin, overlapClass, sitesSwatches } from './sites-legend.ts';

const NO_BLOCKS = { geoids: new Float64Array(), classes: new Uint8Array() };

export const sitesView: MapView = {
  name: 'Sites',
  sides: 0,
  title: ({ choice: { mode, sitesType } }) =>
    sitesType === null ? 'Minutes to the nearest site' : mapTitle(mode, sitesType.name),
  legend: ({ catalogue, state, scheme, sites }) =>
    sitesSwatches(state, catalogue, scheme, sites.reaches !== null),
  modes: ({ mode }) => [mode],
  shown({ catalogue, state, choice, blocks, sites: { reaches, nearest } }) {
    const { sitesBy, sitesColoured } = state;
    const { mode, sitesType } = choice;
    if (sitesType !== null) return shownNearest(catalogue, choice, sitesType, blocks);
    const classes = () =>
      sitesColoured === 'overlap'
        ? reachesWithin(nearest!, reaches!, sitesBy.within).map(overlapClass)
        : reachClasses(nearest!.minutes, ...classesWithin(sitesBy.within));
    return {
      of: 'classes',
      name: `sites ${sitesColoured} ${nearest?.geoids.length ?? 0}`,
      modes: [mode],
      pois: catalogue.poisOf([], [mode]),
      blocks: nearest ? { geoids: nearest.geoids, classes: Uint8Array.from(classes()) } : NO_BLOCKS,
    };
  },
  minutesOf({ state, choice, sites: { nearest, reaches }, blocks }, geoid) {
    if (choice.sitesType !== null) return bandWords(blocks, geoid);
    if (nearest === null || reaches === null) return null;
    const minutes = minutesTo(nearest, geoid);
    if (minutes === undefined) return `over ${MAX_MINUTES} min`;
    const near = reaches.filter((one) => minutesTo(one, geoid)! <= state.sitesBy.within).length;
    return near > 1 ? `${minutes} min, ${near} sites near` : `${minutes} min`;
  },
  Panel: onRequest('the view', async () => (await import('./sites-panel.tsx')).SitesPanel),
  requests({ sites: { body } }) {
    if (body === null) return [];
    return [
      {
        name: 'People near the sites',
        operation: 'measureSites',
        parameters: { ...body },
        rows: 'results',
      },
    ];
  },
};
