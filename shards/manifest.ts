import { z } from 'zod';
import { MODE_LABELS } from './modes.ts';
import { taxonomySchema } from './taxonomy.ts';

/** The version of every binary layout in `shards/`. A reader refuses another one. */
export const FORMAT_VERSION = 1;

export const objectRefSchema = z.strictObject({
  name: z.string().regex(/^[a-z-]+\/[0-9A-Za-z.-]+$/),
  bytes: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

/** The objects each county has, by kind. The kind is also the folder in the store. */
export const COUNTY_OBJECT_KINDS = ['index', 'nearest', 'pois', 'blocks'] as const;
export type CountyObjectKind = (typeof COUNTY_OBJECT_KINDS)[number];

export const countySchema = z.strictObject({
  /** Blocks in the county: rows of its index and of its nearest object. */
  blocks: z.int().min(0),
  population: z.int().min(0),
  /** Blocks that at least one mode could be routed from. */
  routable_blocks: z.int().min(0),
  objects: z.strictObject({
    index: objectRefSchema,
    nearest: objectRefSchema,
    pois: objectRefSchema,
    blocks: objectRefSchema,
  }),
});
export type CountyManifest = z.infer<typeof countySchema>;

export const componentSchema = z.strictObject({
  component: z.enum(['road_network', 'transit_network', 'pois', 'blocks', 'parks']),
  /** Names the exact input: the hash of its files, and what they are called. */
  version: z.string(),
  /** `YYYY-MM-DD`: the day the data speaks of. */
  effective_date: z.string().regex(/^\d{4}-\d{2}-\d{2}$/),
});
export type Component = z.infer<typeof componentSchema>;

/**
 * Everything about a release, content-addressed like its objects: the same inputs under the same
 * release label give the same manifest, byte for byte. Time of publication is in `latest.json`.
 */
export const manifestSchema = z.strictObject({
  format: z.literal(FORMAT_VERSION),
  release: z.string().regex(/^[0-9A-Za-z][0-9A-Za-z._-]{0,63}$/),
  /** The modes that were routed, in the order of their ids. */
  modes: z.array(z.enum(MODE_LABELS)).min(1),
  components: z.array(componentSchema),
  assumptions: z.record(z.string(), z.json()),
  taxonomy: taxonomySchema,
  counties: z.record(z.string().regex(/^\d{5}$/), countySchema),
});
export type Manifest = z.infer<typeof manifestSchema>;

/** The only mutable object of a store. */
export const LATEST = 'latest.json';
export const latestSchema = z.strictObject({
  release: z.string(),
  manifest: z.string().regex(/^manifests\/[0-9A-Za-z._-]+\.json$/),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  published_at: z.iso.datetime(),
});
export type Latest = z.infer<typeof latestSchema>;
