import { describe, expect, test } from 'vitest';
import { SCHOOL_LEVELS } from '../../builder/destinations/school-levels.ts';
import { PARK_SIZES, TAXONOMY, TAXONOMY_VERSION } from '../../builder/destinations/taxonomy.ts';
import { Taxonomy, taxonomySchema } from '../../shards/taxonomy.ts';

const byId = new Map(TAXONOMY.map((entry) => [entry.dest_type_id, entry]));
const byLabel = new Map(TAXONOMY.map((entry) => [entry.label, entry]));
const parentIds = new Set(TAXONOMY.map(({ parent_id }) => parent_id));
const leaves = TAXONOMY.filter(({ dest_type_id }) => !parentIds.has(dest_type_id));

describe('the taxonomy', () => {
  test('has every id and every label once', () => {
    expect(byId.size).toBe(TAXONOMY.length);
    expect(byLabel.size).toBe(TAXONOMY.length);
  });

  test('is a forest: from every entry, parents lead to a root', () => {
    for (const entry of TAXONOMY) {
      const seen = new Set<number>();
      for (let at = entry; at.parent_id !== null; ) {
        expect(seen.has(at.dest_type_id), entry.label).toBe(false);
        seen.add(at.dest_type_id);
        const parent = byId.get(at.parent_id);
        expect(parent, `${at.label} has the unknown parent ${at.parent_id}`).toBeDefined();
        at = parent!;
      }
    }
  });

  test('has at least 45 leaves, each under a parent', () => {
    expect(leaves.length).toBeGreaterThanOrEqual(45);
    for (const leaf of leaves) expect(leaf.parent_id, leaf.label).not.toBeNull();
  });

  test('fits the format of a release', () => {
    const types = TAXONOMY.map(({ dest_type_id, label, name, parent_id }) => ({
      dest_type_id,
      label,
      name,
      parent_id,
    }));
    expect(() => taxonomySchema.parse({ version: TAXONOMY_VERSION, types })).not.toThrow();
    expect(new Taxonomy(types).leafIds).toHaveLength(leaves.length);
  });

  test('states the sources of every leaf, and none for parents', () => {
    for (const entry of TAXONOMY) {
      const { label, osm, source } = entry;
      if (!leaves.includes(entry)) expect([osm, source], label).toEqual([undefined, undefined]);
      else if (source === 'gtfs') expect(osm, label).toEqual([]);
      else expect(osm?.length, label).toBeGreaterThan(0);
      for (const rule of osm ?? []) expect(Object.keys(rule).length, label).toBeGreaterThan(0);
    }
  });

  test('has the labels that clients request', () => {
    const asked = ['grocery_stores', 'supermarkets', 'convenience_stores', 'libraries'];
    const leafLabels = leaves.map(({ label }) => label);
    expect(leafLabels).toEqual(expect.arrayContaining([...asked, 'restaurants', 'cafes']));
    expect(byLabel.get('frequent_transit')).toMatchObject({ source: 'gtfs', osm: [] });
    for (const label of ['parks', 'public_schools']) {
      expect(parentIds.has(byLabel.get(label)!.dest_type_id)).toBe(true);
    }
  });
});

describe('parks by size', () => {
  test('are the leaves of parks, from zero upwards', () => {
    const parks = leaves.filter((leaf) => leaf.parent_id === byLabel.get('parks')!.dest_type_id);
    expect(parks.map(({ label }) => label)).toEqual(PARK_SIZES.map(({ label }) => label));
    expect(parks.every(({ source }) => source === 'park-size')).toBe(true);
    const bounds = PARK_SIZES.map(({ fromHectares }) => fromHectares);
    expect(bounds).toEqual([0, 1, 10]);
  });
});

describe('schools by level', () => {
  test('divide the grades from kindergarten to the twelfth among them', () => {
    const grades = SCHOOL_LEVELS.flatMap(({ fromGrade, toGrade }) =>
      Array.from({ length: toGrade - fromGrade + 1 }, (_, i) => fromGrade + i),
    );
    expect(grades).toEqual(Array.from({ length: 13 }, (_, grade) => grade));
  });

  test('are the leaves of public schools, plus one for unknown levels', () => {
    const parent = byLabel.get('public_schools')!.dest_type_id;
    const schools = leaves.filter((leaf) => leaf.parent_id === parent);
    expect(schools.map(({ label }) => label)).toEqual([
      ...SCHOOL_LEVELS.map(({ label }) => label),
      'schools_level_unknown',
    ]);
    expect(schools.every(({ source }) => source === 'school-level')).toBe(true);
  });
});
