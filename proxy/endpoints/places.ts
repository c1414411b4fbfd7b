import { z } from 'zod';
import { PLACE_GEOID } from '../../shards/geoid.ts';
import { geometryOf, polygonsOf } from '../../shards/geometry/geo-json.ts';
import { BOUNDS, DEFAULT_PLACES_FOUND } from '../bounds.ts';
import { type FreeEndpoint, freeEndpoint } from '../endpoint.ts';
import { NONE, parameters, required, withDefault } from '../fields/field.ts';
import { integer } from '../fields/kinds.ts';
import { placeGeoid } from '../fields/locations.ts';
import { NAME_WORDS, namePart } from '../fields/rows.ts';
import { findPlaces, locatePlace } from '../queries/areas/places.ts';
import { geometry } from '../schemas/schemas.ts';

const searchPlaces = freeEndpoint({
  access: 'free',
  path: '/v1/places',
  operationId: 'findPlaces',
  summary: 'Search census places by name',
  description:
    'Best match first: the whole name, its beginning, the beginning of a word in it, any part; ' +
    'among equal matches the most populous. The letters of a state may follow the name: `Port ' +
    'Meridian, XA`. A GEOID of 7 digits finds its place. Case and accents are ignored. Places of ' +
    'the current release only.',
  tag: 'Places',
  params: NONE,
  query: parameters({
    q: required(namePart, {
      id: 'PlaceName',
      description: NAME_WORDS,
      example: ({ place }) => place?.name ?? 'a',
    }),
    limit: withDefault(integer(BOUNDS.placesFound), DEFAULT_PLACES_FOUND, {
      description: `Maximum number of places, ${BOUNDS.placesFound.min} to ${BOUNDS.placesFound.max}.`,
    }),
  }),
  responseDescription: 'The matching places.',
  response: z.object({
    places: z.array(
      z.object({
        name: z.string(),
        geoid: z.string().regex(PLACE_GEOID),
        state: z.string().regex(/^[A-Z]{2}$/),
        lon: z.number(),
        lat: z.number(),
      }),
    ),
  }),
  problems: [],
  cache: 'catalogue',
  async respond({ releases }, { query: { q, limit } }) {
    return { body: { places: await findPlaces(releases.current, q, limit) } };
  },
});

const placeBoundary = freeEndpoint({
  access: 'free',
  path: '/v1/places/{geoid}/boundary',
  operationId: 'getPlaceBoundary',
  summary: 'Outline of a census place',
  description: 'A GeoJSON Feature, WGS84, lightly simplified for display.',
  tag: 'Places',
  params: parameters({ geoid: placeGeoid }),
  query: NONE,
  responseDescription: 'The outline of the place.',
  response: z.object({
    type: z.literal('Feature'),
    geometry,
    properties: z.object({ geoid: z.string(), name: z.string() }),
  }),
  problems: ['place-not-found'],
  cache: 'catalogue',
  isGeoJson: true,
  async respond({ releases }, { params: { geoid } }) {
    const release = releases.current;
    const { place, ordinal, state } = await locatePlace(release, geoid);
    const outlines = await release.placeOutlines(state);
    return {
      body: {
        type: 'Feature',
        geometry: geometryOf(polygonsOf(outlines, ordinal)),
        properties: { geoid, name: place.name },
      },
    };
  },
});

export const places: readonly FreeEndpoint[] = [searchPlaces, placeBoundary];
