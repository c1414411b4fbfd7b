import { accessCountsOf, directionsCounted } from '../../shards/access/access-columns.ts';
import { geoidFromNumber } from '../../shards/geoid.ts';
import { linkModeOf } from '../../shards/modes.ts';
import type { CountyTable } from './export-table.ts';
import { serviceColumns, serviceValues } from './service-columns.ts';

/** Blocks whose rows make a group: about a hundred thousand rows. */
const GROUP_BLOCKS = 1 << 10;

export const accessTable: CountyTable = {
  name: 'access',
  description:
    'How many people, jobs or POIs are within reach of each block; no row: the mode could not be routed from the block.',
  columns: (release) => [
    { name: 'geoid', type: 'string', description: 'Census block, 15 digits.' },
    {
      name: 'of',
      type: 'string',
      description: 'What is counted: a column of `weights`, or `type:ID` for the POIs of a type.',
    },
    { name: 'direction', type: 'string', description: 'from the block, or to it.' },
    ...serviceColumns(release),
    { name: 'minutes', type: 'uint8', description: 'Time limit in minutes.' },
    { name: 'count', type: 'uint32', description: 'How many are within it.' },
  ],
  objectsOf: ({ manifest: { objects } }) => [
    objects.index,
    ...(objects.access ? [objects.access] : []),
  ],
  async *rows({ release, done }, { manifest }) {
    const index = await release.index(manifest);
    const { access, directions, modes } = release.manifest;
    const rows = accessCountsOf(release.manifest);
    const columns = await Promise.all(
      access.flatMap((of) =>
        directionsCounted(of, directions).map((way) => release.accessCounts(manifest, of, way)),
      ),
    );
    const counts = columns.flat();
    const services = serviceValues(release);
    const columnsOf = accessTable.columns(release);
    for (let first = 0; first < index.count; first += GROUP_BLOCKS) {
      const end = Math.min(index.count, first + GROUP_BLOCKS);
      const values = columnsOf.map((): unknown[] => []);
      for (let block = first; block < end; block++) {
        const geoid = geoidFromNumber(index.geoids[block]);
        const routed = modes.filter((mode) => index.isLinked(block, linkModeOf(mode)));
        for (const [i, { of, direction, mode, minutes }] of rows.entries()) {
          if (!routed.includes(mode)) continue;
          const service = services[modes.indexOf(mode)];
          const row = [geoid, of, direction, ...service, minutes, counts[i][block]];
          for (const [c, value] of row.entries()) values[c].push(value);
        }
      }
      yield { rows: values[0].length, values };
      done(end / index.count);
    }
  },
};
