import type { Tags } from '../osm/tags.ts';

/** The access that a tag grants: to all, to none, or only for trips that begin or end there. */
export type Access = 'yes' | 'no' | 'local';

const ACCESS = new Map<string, Access>([
  ...everyOne('yes', ['yes', '1', 'true', 'official', 'unknown', 'public', 'permissive']),
  ...everyOne('yes', ['designated', 'lane', 'track', 'shared_lane', 'share_busway', 'crossing']),
  ...everyOne('no', ['no', '0', 'false', 'license', 'restricted', 'prohibited', 'emergency']),
  ...everyOne('no', ['use_sidepath', 'dismount', 'military', 'none', 'closed']),
  ...everyOne('local', ['destination', 'customers', 'customer', 'delivery', 'residents']),
  ...everyOne('local', ['resident', 'private', 'permit', 'forestry', 'agricultural']),
  ...everyOne('local', ['employees', 'employee', 'staff', 'members', 'member', 'students']),
  ...everyOne('local', ['student', 'visitors', 'guests', 'tenants', 'owner', 'authorized']),
]);

/**
 * Returns the access granted by the first of some tags that determines it, or undefined if none
 * does. `keys` are ordered from the most specific to the least. Values are classified as in
 * Conveyal R5's labeler, by the first value of a list; `permit`, `military`, `none`, `closed` and
 * groups of people (`employees` to `authorized`) are our additions.
 */
export function accessBy(tags: Tags, keys: readonly string[]): Access | undefined {
  for (const key of keys) {
    const value = tags.get(key);
    if (value === undefined) continue;
    const access = ACCESS.get(value.split(';', 1)[0].trim().toLowerCase());
    if (access !== undefined) return access;
  }
  return undefined;
}

function everyOne(access: Access, values: readonly string[]): [string, Access][] {
  return values.map((value) => [value, access]);
}
