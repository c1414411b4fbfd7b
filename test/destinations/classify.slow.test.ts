import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  classify,
  describe as describeTags,
  mayBeDestination,
} from '../../builder/destinations/classify.ts';
import { TAXONOMY, type TagRule } from '../../builder/destinations/taxonomy.ts';
import { readWithOsmium } from '../osm/opl.ts';
import { BALTIMORE_OSM } from '../support/baltimore.ts';
import { ensureDebianPackage } from '../support/debian.ts';
import { forAll } from '../support/for-all.ts';

type Tags = ReadonlyMap<string, string>;

const labelOf = new Map(TAXONOMY.map((entry) => [entry.dest_type_id, entry.label]));
const schoolLabels = new Set(
  TAXONOMY.filter(({ source }) => source === 'school-level').map(({ label }) => label),
);

/** The type of a school whose name is a single word; null where the word excludes every type. */
const SCHOOL_WORDS: Readonly<Record<string, string | null>> = {
  university: 'universities',
  college: 'colleges',
  kindergarten: 'kindergartens',
  childcare: 'childcare',
  museum: null,
  stadium: null,
};
/** The type of a place of worship without a religion whose name is a single word. */
const WORSHIP_WORDS: Readonly<Record<string, string>> = {
  christian: 'churches',
  jewish: 'synagogues',
  muslim: 'mosques',
  hindu: 'temples',
  buddhist: 'temples',
  sikh: 'temples',
  jain: 'temples',
  taoist: 'temples',
  shinto: 'temples',
};

const RAIL = ['subway', 'light_rail', 'tram', 'monorail', 'funicular'];
/** Sports of gyms. A sports centre only for other sports is no gym. */
const GYM_SPORTS = [
  'multi',
  'fitness',
  'exercise',
  'aerobics',
  'weightlifting',
  'bodybuilding',
  'crossfit',
  'climbing',
  'yoga',
  'pilates',
];
/** The types that private access excludes, besides every type in the open air. */
const ENTERED = [
  ...['cash_machines', 'libraries', 'community_centres', 'arts_centres', 'bike_rental'],
  ...['clinics', 'doctors', 'dentists', 'gyms'],
];

/**
 * Classifies by definition, with every rule of every leaf in turn. All levels of schools count as
 * one type, since levels are not rules.
 */
function naively(tags: Tags, hectares: number): string[] {
  if (tags.get('disused') === 'yes' || tags.get('abandoned') === 'yes') return [];
  if (/\((?:historical|out of business.*)\)$/.test(tags.get('name') ?? '')) return [];
  const isPrivate = ['private', 'no'].includes(tags.get('access') ?? '');
  const openAir = ['leisure', 'natural', 'boundary', 'landuse'];
  if (openAir.some((key) => tags.has(key)) && isPrivate) return [];
  const closed = isPrivate ? ENTERED : [];
  const has = (key: string, ...values: string[]) => values.includes(tags.get(key) ?? '');
  const noTrain =
    has('train', 'no') &&
    !has('railway', 'tram_stop') &&
    !has('station', ...RAIL) &&
    !RAIL.some((kind) => has(kind, 'yes'));
  const isNoStation = has('station', 'miniature') || has('usage', 'tourism') || noTrain;
  const values = (key: string) => (tags.get(key) ?? '').split(';').map((value) => value.trim());
  const isOtherSport =
    tags.has('sport') &&
    !values('sport').some((sport) => GYM_SPORTS.includes(sport)) &&
    !values('leisure').includes('fitness_centre') &&
    !values('amenity').includes('gym');
  const isNoPark = tags.get('name')?.endsWith(' Historic District') ?? false;
  const none = [
    ...closed,
    ...(isOtherSport ? ['gyms'] : []),
    ...(isNoPark ? ['parks_small', 'parks_medium', 'parks_large'] : []),
    ...(isNoStation ? ['rail_stations'] : []),
    ...(has('highway', 'bus_stop') && has('bus', 'no') ? ['bus_stops'] : []),
    ...(has('protect_class', '12', '22', '24') ? ['protected_areas'] : []),
  ];
  const park = hectares >= 10 ? 'parks_large' : hectares >= 1 ? 'parks_medium' : 'parks_small';
  const labels = TAXONOMY.filter((leaf) => leaf.osm?.some((rule) => holds(rule, tags)))
    .filter((leaf) => leaf.source !== 'park-size' || leaf.label === park)
    .filter((leaf) => !none.includes(leaf.label))
    .map((leaf) => (leaf.source === 'school-level' ? 'school' : leaf.label));
  const isOfFaith =
    tags.has('religion') || /\b(christian|jewish|muslim)\b/.test(tags.get('name') ?? '');
  if (labels.includes('school') && isOfFaith && tags.get('operator:type') !== 'public')
    labels.push('private_schools');
  // A private school has no level: levels are for public ones.
  const worships = ['churches', 'synagogues', 'mosques', 'temples'];
  const name = tags.get('name') ?? '';
  const isTold = name in SCHOOL_WORDS && tags.get('operator:type') !== 'public';
  const kept = labels
    .filter((label) => label !== 'school' || !labels.includes('private_schools'))
    .filter((label) => label !== 'other_worship' || !labels.some((l) => worships.includes(l)))
    .flatMap((label) =>
      isTold && ['school', 'private_schools'].includes(label) ? (SCHOOL_WORDS[name] ?? []) : label,
    )
    .map((label) =>
      label === 'other_worship' && !tags.has('religion') ? (WORSHIP_WORDS[name] ?? label) : label,
    );
  return [...new Set(kept)].sort();
}

function holds(rule: TagRule, tags: Tags): boolean {
  return Object.entries(rule).every(([key, wanted]) => {
    const present = (tags.get(key) ?? '').split(';').map((value) => value.trim());
    return [wanted].flat().some((value) => present.includes(value));
  });
}

function classified(tags: Tags, hectares: number): string[] {
  const labels = classify(tags, hectares * 10_000).map((type) => labelOf.get(type)!);
  return [...new Set(labels.map((label) => (schoolLabels.has(label) ? 'school' : label)))].sort();
}

beforeAll(() => ensureDebianPackage('osmium-tool', 'osmium'));

describe('classification', () => {
  test('returns the leaves whose rules hold, whatever the tags', async () => {
    const rules = TAXONOMY.flatMap(({ osm }) => osm ?? []);
    const keys = [...new Set(rules.flatMap((rule) => Object.keys(rule)))];
    const values = [
      ...new Set(rules.flatMap((rule) => Object.values(rule).flat())),
      'no',
      'private',
    ];
    const value = fc
      .array(fc.constantFrom(...values), { minLength: 1, maxLength: 3 })
      .chain((several) => fc.constantFrom(several.join(';'), several.join('; ')));
    const fromRule = fc
      .constantFrom(...rules)
      .map((rule) =>
        Object.entries(rule).map(([key, wanted]) => [key, [wanted].flat()[0]] as const),
      );
    const key = fc.constantFrom(...keys, 'access', 'disused', 'bus', 'train', 'subway');
    const anything = fc.array(fc.tuple(key, value), { maxLength: 4 });
    const words = [...Object.keys(SCHOOL_WORDS), ...Object.keys(WORSHIP_WORDS)];
    const names = [...words, 'Elm', 'Elm Historic District'];
    const named = fc.option(fc.constantFrom(...names)).map((name): [string, string][] => {
      return name === null ? [] : [['name', name]];
    });
    await forAll(
      2_000,
      fromRule,
      fc.tuple(anything, named).map((both) => both.flat()),
      fc.double({ min: 0, max: 30, noNaN: true }),
      (a, b, size) => {
        const tags = new Map([...a, ...b]);
        expect(classified(tags, size)).toEqual(naively(tags, size));
        if (naively(tags, size).length > 0) expect(mayBeDestination(tags)).toBe(true);
      },
    );
  });

  test('returns the leaf of a value that is listed twice', () => {
    const types = classify(new Map([['amenity', 'place_of_worship;place_of_worship']]), null);
    expect(types.map((type) => labelOf.get(type))).toEqual(['other_worship']);
  });

  test('returns each leaf once, in ascending order', () => {
    const types = classify(new Map([['shop', 'supermarket;convenience;supermarket']]), null);
    expect(types.map((type) => labelOf.get(type))).toEqual([
      'grocery_stores',
      'supermarkets',
      'convenience_stores',
    ]);
  });

  test('puts a park into the next size at exactly one and ten hectares', () => {
    const sizes = [null, 0, 9_999.9, 10_000, 99_999.9, 100_000, 4e9];
    const labels = sizes.map((size) =>
      labelOf.get(classify(new Map([['leisure', 'park']]), size)[0]),
    );
    const [small, medium, large] = ['parks_small', 'parks_medium', 'parks_large'];
    expect(labels).toEqual([small, small, small, medium, medium, large, large]);
  });

  test.each<[boolean, Record<string, string>]>([
    [true, { religion: 'christian', name: 'Elm School' }],
    [true, { name: 'Our Lady of Pompei School' }],
    [true, { name: 'Saint Leos School' }],
    [true, { name: 'Southeast Baltimore Catholic Academy' }],
    [true, { name: 'Cristo Rey Jesuit High School' }],
    [true, { name: 'Elm School', operator: 'Archdiocese of Baltimore, Catholic Schools' }],
    [true, { name: 'Elm School', 'operator:type': 'private' }],
    [true, { name: 'Saint Mary’s Elementary School' }],
    [true, { name: 'Saint Agnes Parish School' }],
    [true, { name: 'Elm High School', operator: 'Quaker Valley Friends', religion: 'quaker' }],
    [true, { name: 'Christian County Christian Academy' }],
    [true, { name: 'St. Paul School' }],
    [true, { name: 'Saint Louis Academy' }],
    [true, { name: 'St. Albans School' }],
    [true, { name: 'St. Augustine Preparatory School' }],
    [true, { name: 'St. Joseph Montessori School' }],
    [true, { name: 'St. Croix Lutheran Academy' }],
    [true, { name: 'St. Paul’s City School' }],
    [true, { name: 'Elm Christian Elementary School' }],
    [true, { name: 'Christian Heritage High School' }],
    [true, { name: 'Christian Victory Academy' }],
    // Public schools where counties are parishes, or in places with such names.
    [false, { name: 'Comeaux High School', operator: 'Lafayette Parish School System' }],
    [false, { name: 'Barbe High School', operator: 'Calcasieu Parish School Board' }],
    [false, { name: 'Elm School', operator: 'Rapides Parish' }],
    [false, { name: 'Caddo Parish Magnet High School' }],
    [false, { name: 'Quaker Valley High School' }],
    [false, { name: 'Pass Christian High School' }],
    [false, { name: 'Christian County High School' }],
    [false, { name: 'St. Mary’s County Public Academy' }],
    // Public schools of towns that are named after saints.
    [false, { name: 'St. Michaels Middle High School' }],
    [false, { name: 'St. Lucie West K-8 School' }],
    [false, { name: 'St. Michaels PK-8 School' }],
    [false, { name: 'Saint Paul City School' }],
    [false, { name: 'St. Paul Music Academy' }],
    [false, { name: 'St. Croix Preparatory Academy' }],
    [false, { name: 'St. Cloud Math and Science Academy' }],
    [false, { name: 'St. Louis Language Immersion School' }],
    [false, { name: 'St. Albans City School' }],
    [false, { name: 'St. Johnsbury School' }],
    // Other public schools, some of them named after a person.
    [false, { name: 'Hans Christian Andersen Elementary School' }],
    [false, { name: 'Christian Fenger Academy High School' }],
    [false, { name: 'Saint Paul Central', operator: 'Saint Paul Public Schools' }],
    [false, { name: 'Holy Cross', 'operator:type': 'public' }],
    [false, { name: 'Patterson High School' }],
    [false, { name: 'Christianburg School' }],
  ])(
    'distinguishes private schools (%s), including religious ones, from public ones: %o',
    (isPrivate, more) => {
      const labels = classified(new Map(Object.entries({ amenity: 'school', ...more })), 1);
      expect(labels).toEqual([isPrivate ? 'private_schools' : 'school']);
    },
  );

  test.each<[string[], Record<string, string>]>([
    [['universities'], { name: 'Bloomberg School of Public Health' }],
    [['universities'], { name: 'University of Elm School of Nursing' }],
    [['universities'], { name: 'Elm State University' }],
    [['colleges'], { name: 'Baltimore City Community College-Harbor Campus' }],
    [['colleges'], { name: 'Sojourner Douglas College' }],
    [['kindergartens'], { name: 'Little Oaks Preschool' }],
    [['kindergartens'], { name: 'Early Learning Academy' }],
    [['childcare'], { name: 'Elm Street Day Care' }],
    [[], { name: 'Tae Kwon Do Academy' }],
    [[], { name: 'Elm Driving School' }],
    [[], { name: 'Oak School of Ballet' }],
    [[], { name: '101 Ellwood Apartments', building: 'residential' }],
    [[], { name: 'The Oaks', building: 'apartments' }],
    [[], { name: 'Living Classrooms Foundation' }],
    [[], { name: 'Elm County Board of Education', operator: 'Elm County Schools' }],
    // Schools with words of other institutions in their names.
    [['schools_level_unknown'], { name: 'Baltimore City College' }],
    [['schools_level_unknown'], { name: 'Elm College', operator: 'Elm City Public Schools' }],
    [['schools_level_unknown'], { name: 'National Academy Foundation School' }],
    [['schools_level_unknown'], { name: 'University School' }],
    [['schools_level_unknown'], { name: 'College Station School' }],
    [['schools_level_unknown'], { name: 'Elm Academy', building: 'residential' }],
    [['schools_level_unknown'], { name: 'Dance Magnet School' }],
    [['high_schools'], { name: 'University High School' }],
    [['high_schools'], { name: 'Massage High School' }],
    [['elementary_schools'], { name: 'College Park Elementary School' }],
    [['elementary_schools'], { name: 'Boxing Hill', grades: 'K-5' }],
    [['elementary_schools', 'middle_schools'], { name: 'Elm Academy Pre-K-8', grades: 'K-8' }],
    [['private_schools'], { name: 'Elm School', operator: 'Archdiocese of Baltimore' }],
    [['private_schools'], { name: 'SS. Peter and Paul School' }],
    [['private_schools'], { name: 'St.Leo School' }],
    [['private_schools'], { name: 'Friends School of Elm' }],
    [['private_schools'], { name: 'Bais Yaakov' }],
    [['private_schools'], { name: 'Queen of Peace School' }],
    [['elementary_schools'], { name: 'St. Paul Elem School' }],
  ])('classifies a mapped school by its name and operator, %s: %o', (labels, more) => {
    const found = classify(new Map(Object.entries({ amenity: 'school', ...more })), null);
    expect(found.map((type) => labelOf.get(type))).toEqual(labels);
  });

  test.each<[string[], Record<string, string>]>([
    [[], { name: 'Saint James Convent', religion: 'christian' }],
    [[], { name: 'Notre Dame Convent of the Sacred Heart', religion: 'christian' }],
    [[], { name: 'Trinity Rectory', religion: 'christian' }],
    [['churches'], { name: 'Convent Avenue Baptist Church', religion: 'christian' }],
    [['churches'], { name: 'Chapel of the Convent', religion: 'christian' }],
    [['churches'], { name: 'Bethel Holy Tabernacle' }],
    [['churches'], { name: 'East Baltimore Deliverance Center' }],
    [['churches'], { name: 'Old Friends Meeting House' }],
    [['churches'], { name: 'Église Évangélique de Elm' }],
    [['churches'], { name: 'Ministerios Roca de Salvación' }],
    [['churches'], { name: 'Asamblea de Dios La Fe' }],
    [['churches'], { name: 'Elm Assembly of God' }],
    [['churches'], { name: 'Ss. Peter and Paul' }],
    [['churches'], { name: 'St. Leo the Great' }],
    [['churches'], { name: 'Our Lady of Good Counsel' }],
    [['churches'], { name: 'Holy Rosary' }],
    [['churches'], { name: 'Mount Zion A.M.E. Zion' }],
    [['churches'], { name: "Jehovah's Witnesses" }],
    [['churches'], { name: 'Elm Worship Center' }],
    [['churches'], { name: 'Beth Eden Baptist Church' }],
    [['synagogues'], { name: 'Beth Tfiloh Congregation' }],
    [['synagogues'], { name: 'Agudath Israel of Elm' }],
    [['mosques'], { name: 'Dar Al-Hijrah' }],
    [['mosques'], { name: 'Elm Musalla' }],
    [['temples'], { name: 'Wat Thai of Elm' }],
    [['temples'], { name: 'BAPS Shri Swaminarayan Sanstha' }],
    [['other_worship'], { name: "Elm Baha'i Center" }],
    [['other_worship'], { name: 'Elm Parking at Watson Street' }],
    [[], { name: 'Convento de las Hermanas', religion: 'christian' }],
    [[], { name: "Saint Leo Priests' Residence", religion: 'christian' }],
    [['synagogues'], { name: 'Lloyd Street Synagogue' }],
    [['synagogues'], { name: 'Temple Beth El' }],
    [['mosques'], { name: 'Masjid Ul-Haqq' }],
    [['temples'], { name: 'Elm Zen Center' }],
    [['other_worship'], { name: 'Unitarian Universalist Church of Elm' }],
    [['other_worship'], { name: 'Elm Congregation' }],
    [['other_worship'], {}],
    // A tag takes precedence over a name.
    [['temples'], { name: 'Elm Church', religion: 'buddhist' }],
    [['other_worship'], { name: 'Elm Church', religion: 'scientologist' }],
  ])('classifies a mapped place of worship by its name, %s: %o', (labels, more) => {
    const tags = new Map(Object.entries({ amenity: 'place_of_worship', ...more }));
    expect(classify(tags, null).map((type) => labelOf.get(type))).toEqual(labels);
  });

  test.each([
    ['fresh_food_shops', 'meat'],
    ['fresh_food_shops', 'fishmonger'],
    ['pharmacies', 'drugstore'],
    ['hairdressers', 'barber'],
    ['grocery_stores', 'groceries'],
  ])('accepts other spellings of %s: shop=%s', (label, shop) => {
    expect(classify(new Map([['shop', shop]]), null).map((type) => labelOf.get(type))).toEqual([
      label,
    ]);
  });

  test.each<[string, Record<string, string>]>([
    ['a pool behind a house', { leisure: 'swimming_pool', access: 'private' }],
    ['a pool that says nothing', { leisure: 'swimming_pool' }],
    ['the playground of a condominium', { leisure: 'playground', access: 'private' }],
    ['a shop that closed', { shop: 'supermarket', disused: 'yes' }],
    ['a shop that was', { 'disused:shop': 'supermarket' }],
    ['a school that was', { 'demolished:amenity': 'school' }],
    ...[
      'historical',
      'former',
      'closed',
      'Closed in 2014',
      'closed since May 2020',
      'closed permanently',
      'permanently closed',
      'out of business',
      'out of business as of 2014',
    ].map((remark): [string, Record<string, string>] => [
      `what is named (${remark})`,
      { amenity: 'restaurant', name: `Elm (${remark})` },
    ]),
    ['a house', { building: 'yes' }],
    ['a park railway', { railway: 'station', station: 'miniature' }],
    ['a heritage railway', { railway: 'station', usage: 'tourism' }],
    ['a station without trains', { railway: 'station', train: 'no' }],
    ['a stop without buses', { highway: 'bus_stop', bus: 'no' }],
    ['a cash machine for employees', { amenity: 'atm', access: 'private' }],
    ['a library for members', { amenity: 'library', access: 'private' }],
    ['the clubhouse of a condominium', { amenity: 'community_centre', access: 'private' }],
    ['a clinic for employees', { healthcare: 'clinic', access: 'no' }],
    ['bicycles for residents', { amenity: 'bicycle_rental', access: 'private' }],
    ['a water protection area', { boundary: 'protected_area', protect_class: '12' }],
    ['a historic district', { boundary: 'protected_area', protect_class: '22' }],
    ['a reservation', { boundary: 'protected_area', protect_class: '24' }],
    ['nothing', {}],
  ])('never classifies %s as a destination', (_, tags) => {
    expect(classify(new Map(Object.entries(tags)), null)).toEqual([]);
  });

  test.each<[string, Record<string, string>]>([
    ['rail_stations', { railway: 'station', station: 'subway', train: 'no' }],
    ['rail_stations', { railway: 'station', train: 'no', light_rail: 'yes' }],
    ['rail_stations', { railway: 'tram_stop', train: 'no', tram: 'yes' }],
    ['protected_areas', { boundary: 'protected_area', protect_class: '2' }],
    ['libraries', { amenity: 'library', access: 'customers' }],
    ['schools_level_unknown', { amenity: 'school', access: 'private' }],
    ['supermarkets', { shop: 'supermarket', access: 'private' }],
    ['cafes', { amenity: 'cafe', name: 'Elm (closed Sundays)' }],
    ['cafes', { amenity: 'cafe', name: 'Elm (closed after 1500)' }],
    ['cafes', { amenity: 'cafe', name: 'Elm (closed until May 2027)' }],
    ['cafes', { amenity: 'cafe', name: 'Elm (closed Nov 1 2025 - Apr 1 2026)' }],
    ['cafes', { amenity: 'cafe', name: 'Elm (former Oak)' }],
    ['cafes', { amenity: 'cafe', name: 'Out of Business' }],
  ])('classifies as %s, in spite of a tag: %o', (label, tags) => {
    const found = classify(new Map(Object.entries(tags)), null);
    expect(found.map((type) => labelOf.get(type))).toContain(label);
  });

  test.each<[string[], Record<string, string>]>([
    [['gyms'], {}],
    [['gyms'], { sport: 'multi' }],
    [['gyms'], { sport: 'climbing' }],
    [['gyms', 'swimming_pools'], { sport: 'swimming;fitness' }],
    [['gyms'], { amenity: 'gym', sport: 'boxing' }],
    [['swimming_pools'], { sport: 'swimming' }],
    [[], { sport: '10pin' }],
    [[], { sport: 'ice_skating;hockey' }],
  ])('classifies a sports centre by its sports, %s: %o', (labels, more) => {
    const tags = new Map(Object.entries({ leisure: 'sports_centre', ...more }));
    expect(classify(tags, 5_000).map((type) => labelOf.get(type))).toEqual(labels);
  });

  test.each<[string[], string, number | null]>([
    [['parks_small'], 'Elm Square', null],
    [['parks_small'], 'Historic District Park', null],
    [[], 'Elm Historic District', null],
    [[], 'Elm Historic District', 900_000],
    [['community_centres'], 'Elm Recreation Center', null],
    [['community_centres'], 'Elm Community Center', null],
    // The grounds of a recreation center are a park.
    [['parks_medium'], 'Elm Recreation Center', 20_000],
  ])('classifies what is tagged as a park by its name, %s: %s, %s m²', (labels, name, area) => {
    const tags = new Map(Object.entries({ leisure: 'park', name }));
    expect(classify(tags, area).map((type) => labelOf.get(type))).toEqual(labels);
  });

  test('names an unnamed place after its tags', () => {
    expect(describeTags(new Map([['amenity', 'fast_food']]))).toBe('Fast food');
    expect(describeTags(new Map([['shop', 'yes;supermarket']]))).toBe('Supermarket');
  });
});

describe('classification of a real city', () => {
  test('gives every element the leaves whose rules hold', () => {
    const elements = readWithOsmium(BALTIMORE_OSM);
    // Schools and places of worship are classified by name; the tables above have examples.
    const byName = ['school', 'place_of_worship'];
    const tagged = elements.filter(
      ({ tags }) => tags.size > 0 && !byName.includes(tags.get('amenity') ?? ''),
    );
    const differing = tagged.filter(
      ({ tags }) => String(classified(tags, 3)) !== String(naively(tags, 3)),
    );
    expect(differing).toEqual([]);
    const destinations = tagged.filter(({ tags }) => naively(tags, 3).length > 0);
    expect(destinations.every(({ tags }) => mayBeDestination(tags))).toBe(true);
    expect(destinations.length).toBeGreaterThan(500);
  });
});
