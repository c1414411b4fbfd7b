import { z } from 'zod';
import { freeEndpoint } from '../endpoint.ts';
import { NONE, optional, parameters } from '../fields/field.ts';
import { integer } from '../fields/kinds.ts';

/** Releases listed at most: a store that is refreshed every night keeps fewer. */
const MOST = { min: 1, max: 100 };

export const releaseList = freeEndpoint({
  access: 'free',
  path: '/v1/meta/releases',
  operationId: 'getReleases',
  summary: 'The releases that can be compared',
  description:
    'The releases of the store, as `POST /v1/changes` and `release` of `/v1/meta/block-bands` take ' +
    'them: the current one, then those published before, the last first, then those that never ' +
    'were, such as scenarios. A store that cannot be listed has the last twenty published.',
  tag: 'Catalogue',
  params: NONE,
  query: parameters({
    limit: optional(integer(MOST), {
      id: 'ReleaseLimit',
      description: `Releases listed, at most ${MOST.max}, which is the default.`,
    }),
  }),
  responseDescription: 'The releases.',
  response: z.object({
    releases: z.array(
      z.object({
        release: z.string().meta({ description: 'Its label, which another may have too.' }),
        version: z.string().meta({ description: 'As `from` and `to` take it.' }),
        published_at: z.iso.datetime().nullable().meta({
          description: 'Null if it was not published, or is not among the last twenty.',
        }),
      }),
    ),
  }),
  problems: [],
  cache: 'catalogue',
  async respond({ releases }, { query: { limit = MOST.max } }) {
    return { body: { releases: (await releases.list()).slice(0, limit) } };
  },
});
