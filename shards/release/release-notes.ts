import { z } from 'zod';
import { UNLINKED_REASONS } from '../blocks/block-index.ts';
import { hashOfJson, parseJson, parseWith } from '../codec/json-object.ts';
import { damaged, nullIfMissing } from '../errors.ts';
import { ALL_LINK_MODES } from '../modes.ts';
import type { Store } from '../store/store.ts';
import { countyFipsSchema, latestSchema, releaseSchema } from './manifest.ts';
import { MANIFESTS } from './manifests.ts';

export const NOTES = 'notes/';

const count = z.int().min(0);
/** The count of the release before; null if there is none, or it lacks the fact. */
const countBefore = count.nullable();

export const unlinkedBlocksSchema = z.strictObject({
  mode: z.enum(ALL_LINK_MODES),
  reason: z.enum(UNLINKED_REASONS),
  blocks: count,
  blocks_before: countBefore,
});

/** The POIs of a leaf type that have their home in a county of the release. */
export const poisOfTypeSchema = z.strictObject({
  dest_type_id: z.int().min(1),
  label: z.string(),
  pois: count,
  pois_before: countBefore,
});

export const changesSchema = z.strictObject({
  counties: z.strictObject({
    /** Counties of both releases, and those of them with another object. */
    both: count,
    changed: count,
    added: z.array(z.string()),
    gone: z.array(z.string()),
  }),
  feeds: z.strictObject({
    /** Feeds that the release before had service from. */
    used_before: count,
    added: z.array(z.string()),
    /** Feeds that had service before; `reason` is that of the release, if it has one. */
    lost: z.array(z.strictObject({ file: z.string(), reason: z.string().nullable() })),
  }),
  /** Counties with blocks that had a street nearby for some mode, and have none. */
  cut_off: z.array(
    z.strictObject({ county: countyFipsSchema, blocks: count, linked_before: count }),
  ),
  /** Times from a block to the nearest POI of a type, of blocks and types of both releases. */
  times: z.strictObject({
    /** Times that either release has. */
    compared: count,
    /** Those that differ by any amount. */
    moved: count,
    /** Those that differ by five minutes or more, or that only one release has. */
    moved_much: count,
  }),
  objects: z.strictObject({
    /** Objects of counties, whose hashes are in the ETags of responses, and those of them kept. */
    all: count,
    kept: count,
    /** Bytes of those that the release before lacks. */
    new_bytes: count,
  }),
});
export type ReleaseChanges = Readonly<z.infer<typeof changesSchema>>;

/**
 * Facts about a release that people read: small, and made with it, since they need its objects. The
 * manifest cannot hold them, since they depend on the release before.
 */
const releaseNotesSchema = z.strictObject({
  release: releaseSchema,
  manifest: latestSchema.shape.manifest,
  /** The release that was current before; null for the first of a store. */
  before: latestSchema.pick({ release: true, manifest: true }).nullable(),
  blocks_without_streets: z.array(unlinkedBlocksSchema),
  pois: z.array(poisOfTypeSchema),
  /** Null without a release before, or if its objects cannot be read. */
  changes: changesSchema.nullable(),
  /** Earlier releases, the last first, with what changed in words. */
  history: z.array(
    z.strictObject({
      release: releaseSchema,
      manifest: latestSchema.shape.manifest,
      published_at: latestSchema.shape.published_at,
      summary: z.array(z.string()),
    }),
  ),
});
export type ReleaseNotes = Readonly<z.infer<typeof releaseNotesSchema>>;

export function notesName(manifest: string): string {
  return `${NOTES}${manifest.slice(MANIFESTS.length)}`;
}

/** Encodes notes, and `check`, the SHA-256 of the rest as JSON. */
export function encodeNotes(notes: ReleaseNotes): Uint8Array {
  return Buffer.from(`${JSON.stringify({ ...notes, check: hashOfJson(notes) })}\n`);
}

/** Reads the notes of a release; null if it has none. Throws a `ShardError` if they are damaged. */
export async function readNotes(store: Store, manifest: string): Promise<ReleaseNotes | null> {
  const name = notesName(manifest);
  const found = await nullIfMissing(store.readWhole(name));
  if (found === null) return null;
  const { check, ...notes } = Object(parseJson(name, found.bytes)) as Record<string, unknown>;
  if (check !== hashOfJson(notes)) throw damaged(name, 'check');
  return parseWith(name, notes, releaseNotesSchema);
}
