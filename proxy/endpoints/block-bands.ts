import { z } from 'zod';
import { COUNTY_FIPS } from '../../shards/geoid.ts';
import type { TileArchive } from '../../shards/release/manifest.ts';
import { countyName } from '../../shards/states.ts';
import { freeEndpoint } from '../endpoint.ts';
import { bbox, bboxNumbers, invalidBox } from '../fields/bounding-box.ts';
import { NONE, optional, parameters } from '../fields/field.ts';
import { releaseName } from '../fields/kinds.ts';
import { namedRelease } from '../fields/served-words.ts';
import { areExchanged, EXCHANGED } from '../queries/exchanged-coordinates.ts';
import { boxArea } from '../queries/searched-area.ts';
import { nameOfCounty } from '../schemas/schemas.ts';

/** Keeps the response for the whole nation small; a map shows fewer counties. */
const MAX_COUNTIES = 100;

export const blockBands = freeEndpoint({
  access: 'free',
  path: '/v1/meta/block-bands',
  operationId: 'getBlockBands',
  summary: 'The block bands of counties, readable by range',
  description:
    'For each county in the box, a public object with the band of five minutes of each of its blocks, ' +
    'by mode and leaf destination type: what the tiles of bands show, by block, with GEOIDs, centres ' +
    'and population. It is read by byte range, free and without a key: a head, and a column for each ' +
    'mode and type. `access` is a second object, with a class of how many people or jobs are within ' +
    `reach of each block, by weight, direction, mode and minutes. At most ${MAX_COUNTIES} counties, ` +
    'by county code. Empty for a release that was built without tiles.',
  tag: 'Isochrones',
  params: NONE,
  query: parameters({
    bbox,
    release: optional(releaseName, {
      id: 'OfRelease',
      description:
        'Another release of the store, to compare its bands with, as `/v1/meta/releases` lists it ' +
        'under `version`. Omitted: the current one.',
    }),
  }),
  responseDescription: 'The block bands of the counties in the box.',
  response: z.object({
    release: z.string(),
    counties_found: z.int().meta({
      description: `Counties whose blocks are in the box; \`counties\` lists the first ${MAX_COUNTIES}.`,
    }),
    counties: z.array(
      z.object({
        county: z.string().regex(COUNTY_FIPS),
        name: nameOfCounty,
        bounds: z.array(z.number()).length(4).meta({
          description: 'West, south, east and north edge of its blocks in degrees.',
        }),
        blocks: z.int(),
        population: z.int(),
        url: z.url(),
        bytes: z.int(),
        access: z
          .object({ url: z.url(), bytes: z.int() })
          .nullable()
          .meta({
            description:
              'The classes of what is within reach of its blocks, in the same order; null if the ' +
              'release counts nothing.',
          }),
      }),
    ),
  }),
  problems: ['invalid-bbox'],
  cache: 'catalogue',
  async respond({ releases, config }, { query: { bbox, release: wanted } }) {
    const release =
      wanted === undefined
        ? releases.current
        : await namedRelease((name) => releases.find(name), wanted, ['query', 'release']);
    const { latest, counties, blockBoxes } = release;
    const boxes = bbox === undefined ? [] : boxArea(...bboxNumbers(bbox)).boxes;
    if (areExchanged(release, boxes)) throw invalidBox(EXCHANGED);
    const inBox = bbox === undefined ? counties : blockBoxes.meeting(boxes);
    const found = inBox.flatMap(({ fips, manifest }) => {
      const { name, block_bands, access_classes, block_box, blocks, population } = manifest;
      if (block_bands === undefined) return [];
      const facts = { county: fips, name: countyName(fips, name), bounds: block_box, blocks };
      const access = access_classes ? linkTo(access_classes) : null;
      return [{ ...facts, population, ...linkTo(block_bands), access }];
    });
    function linkTo({ archive: { name, bytes } }: TileArchive) {
      return { url: `${config.baseUrl}/${name}`, bytes };
    }
    return {
      body: {
        release: latest.release,
        counties_found: found.length,
        counties: found.slice(0, MAX_COUNTIES),
      },
    };
  },
});
