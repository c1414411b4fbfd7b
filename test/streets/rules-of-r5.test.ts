import { expect, test } from 'vitest';
import {
  assumptions,
  OWN_RULES,
  RULE_NAMES,
  type RuleOfR5,
} from '../../builder/routing-parameters.ts';
import { buildNetwork } from '../../builder/streets/build-network.ts';
import { CLOSED, modeCosts } from '../../builder/streets/mode-costs.ts';
import { buildModeNetwork } from '../../builder/streets/mode-network.ts';
import { nodeTraits } from '../../builder/streets/node-traits.ts';
import { stressForward } from '../../builder/streets/trait-bits.ts';
import { streetTraits } from '../../builder/streets/way-traits.ts';
import { mappedStreets } from '../support/mapped-streets.ts';
import { tagsOf } from '../support/tags.ts';

/** A metre at the equator in degrees, to the east and to the north. */
const METRE = [1 / 111_319.490793, 1 / 110_574.275822] as const;
const at = (east: number, north: number) => [east * METRE[0], north * METRE[1]];

const only = (rule: RuleOfR5) => new Set([rule]);

/** The stress of a calm street that a primary street meets at a junction without lights. */
function stressOfSide(main: string, rules = OWN_RULES, lights = 'highway=traffic_signals'): number {
  const places = [at(0, -100), at(0, 0), at(0, 100), at(-200, 0), at(-25, 0), at(200, 0)];
  const network = buildNetwork(
    ...mappedStreets(
      places,
      [
        { refs: [0, 1, 2], traits: streetTraits(tagsOf('highway=residential')) },
        { refs: [3, 4, 1, 5], traits: streetTraits(tagsOf(main)) },
      ],
      [0, 0, 0, 0, nodeTraits(tagsOf(lights))],
    ),
    rules,
  );
  return stressForward(network.traits[0]);
}

test('lights on a stop line are those of the junction, except by the rule of R5', () => {
  expect(stressOfSide('highway=primary')).toBe(1);
  expect(stressOfSide('highway=primary', only('stress'))).toBe(4);
});

test('riders on a track ride beside the cars, except by the rule of R5', () => {
  const track = [{ refs: [0, 1], traits: streetTraits(tagsOf('highway=primary, cycleway=track')) }];
  const stress = (rules = OWN_RULES) =>
    stressForward(buildNetwork(...mappedStreets([at(0, 0), at(100, 0)], track), rules).traits[0]);
  expect([stress(), stress(only('stress'))]).toEqual([1, 4]);
});

test('private streets and gates are first and last legs, and closed by the rule of R5', () => {
  const streets = [
    { refs: [0, 1], traits: streetTraits(tagsOf('highway=service, access=private')) },
    { refs: [1, 2], traits: streetTraits(tagsOf('highway=residential')) },
  ];
  const gate = nodeTraits(tagsOf('barrier=gate, access=private'));
  const mapped = mappedStreets([at(0, 0), at(100, 0), at(200, 0)], streets, [0, gate]);
  for (const mode of ['walk', 'bike'] as const) {
    const own = modeCosts(buildNetwork(...mapped), mode);
    expect([...own.isLocal]).toEqual([1, 1, 0]);
    expect([...own.forward]).not.toContain(CLOSED);
    const { forward } = modeCosts(buildNetwork(...mapped, only('private-ground')), mode);
    expect([...forward].map((cost) => cost === CLOSED)).toEqual([true, true, false]);
  }
});

/** Streets along each other, this far north, which steps join at each of their corners. */
function ladder(streets: readonly (readonly [north: number, tags: string])[]) {
  const corners = 30;
  const places = streets.flatMap(([north]) =>
    Array.from({ length: corners }, (_, i) => at(100 * i, north)),
  );
  const numbers = (street: number) =>
    Array.from({ length: corners }, (_, i) => street * corners + i);
  const along = streets.map(([, tags], street) => ({
    refs: numbers(street),
    traits: streetTraits(tagsOf(tags)),
  }));
  const steps = streetTraits(tagsOf('highway=steps'));
  const across = numbers(0).map((first) => ({
    refs: streets.map((_, street) => first + street * corners),
    traits: steps,
  }));
  return buildNetwork(...mappedStreets(places, [...along, ...across]));
}

test('rides begin on the nearest way and the nearest ridden street within 300 m, or as in R5', () => {
  const snapsOf = (oneWay: number, rules = OWN_RULES) => {
    const streets = ladder([
      [-20, 'highway=footway'],
      [oneWay, 'highway=residential, oneway=yes'],
      [900, 'highway=primary'],
    ]);
    const { linker } = buildModeNetwork(streets, 'bike', { coverage: null }, rules);
    const [lon, lat] = at(1_450, 0);
    const nearest = linker.link(lon, lat);
    if (typeof nearest === 'string') throw new Error(nearest);
    const toRide = linker.linkToRide(lon, lat, nearest);
    return [nearest.snap, toRide?.snap ?? null].map((snap) => snap && Math.round(snap));
  };
  expect(snapsOf(290)).toEqual([20, 290]);
  expect(snapsOf(310)).toEqual([20, null]);
  expect(snapsOf(290, only('bike-links'))).toEqual([900, null]);
});

test('the assumptions state the rules of R5 that a release has, and not those that they replace', () => {
  const stated = (rules: readonly RuleOfR5[]) =>
    assumptions({ service_date: '2026-03-17', feeds: [] }, ['from'], false, rules);
  expect(stated([])).not.toHaveProperty('rules_of_r5');
  expect(stated([])).toHaveProperty('transit_subway_default_s', 60);
  const all = stated(RULE_NAMES);
  expect(Object.keys(all.rules_of_r5 as object)).toEqual(RULE_NAMES);
  expect(all).not.toHaveProperty('transit_subway_default_s');
  expect(all).not.toHaveProperty('bike_tracks');
  expect(all.transit_stations).not.toMatch(/pathways those|\d+ s/);
  expect(all.link_to).not.toContain('by bicycle');
});
