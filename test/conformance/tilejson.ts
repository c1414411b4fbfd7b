const degrees = (most: number) => ({ type: 'number', minimum: -most, maximum: most });
const zoom = { type: 'integer', minimum: 0, maximum: 30 };
const urls = (part: RegExp) => ({
  type: 'array',
  items: { type: 'string', pattern: `^https?://.*${part.source}` },
});

/** TileJSON 3.0.0 as a JSON Schema, after github.com/mapbox/tilejson-spec. */
export const TILEJSON_SCHEMA = {
  type: 'object',
  required: ['tilejson', 'tiles', 'vector_layers'],
  properties: {
    tilejson: { type: 'string', pattern: '^3\\.\\d+\\.\\d+$' },
    tiles: { ...urls(/\{z\}.*\{x\}.*\{y\}/), minItems: 1 },
    vector_layers: {
      type: 'array',
      items: {
        type: 'object',
        required: ['id', 'fields'],
        properties: {
          id: { type: 'string' },
          fields: { type: 'object', additionalProperties: { type: 'string' } },
          description: { type: 'string' },
          minzoom: zoom,
          maxzoom: zoom,
        },
      },
    },
    attribution: { type: 'string' },
    bounds: {
      type: 'array',
      items: false,
      minItems: 4,
      prefixItems: [degrees(180), degrees(90), degrees(180), degrees(90)],
    },
    center: {
      type: 'array',
      items: false,
      minItems: 3,
      prefixItems: [degrees(180), degrees(90), zoom],
    },
    data: urls(/$/),
    description: { type: 'string' },
    fillzoom: zoom,
    grids: urls(/\{z\}.*\{x\}.*\{y\}/),
    legend: { type: 'string' },
    maxzoom: zoom,
    minzoom: zoom,
    name: { type: 'string' },
    scheme: { enum: ['xyz', 'tms'] },
    template: { type: 'string' },
    version: { type: 'string', pattern: '^\\d+\\.\\d+\\.\\d+$' },
  },
} as const;
