import { describe, expect, test } from 'vitest';
import { schoolLevels } from '../../builder/destinations/school-kind.ts';

const [E, M, H, U] = ['elementary', 'middle', 'high', 'unknown'];
const SHORT: Readonly<Record<string, string>> = {
  elementary_schools: E,
  middle_schools: M,
  high_schools: H,
  schools_level_unknown: U,
};

function levels(tags: Record<string, string>): string[] {
  return schoolLevels(new Map(Object.entries(tags))).map((label) => SHORT[label]);
}

describe('the levels of a school', () => {
  test.each<[Record<string, string>, string[]]>([
    [{ 'isced:level': '1' }, [E]],
    [{ 'isced:level': '1;2' }, [E, M]],
    [{ 'isced:level': '2, 3' }, [M, H]],
    [{ 'isced:level': '0-1' }, [E]],
    [{ 'isced:level': '1-3' }, [E, M, H]],
    [{ 'isced:level': '3', name: 'Elm Elementary School' }, [H]],
    [{ 'isced:level': 'some', name: 'Elm Elementary School' }, [E]],
  ])('are its ISCED levels first: %o', (tags, expected) => {
    expect(levels(tags)).toEqual(expected);
  });

  test.each<[string, string[]]>([
    ['K-5', [E]],
    ['PK-8', [E, M]],
    ['Pre-K-5', [E]],
    ['pre-k', [E]],
    ['6-8', [M]],
    ['9-12', [H]],
    ['9;10;11;12', [H]],
    ['K–12', [E, M, H]],
    ['6-12', [M, H]],
    ['5', [E]],
    ['TK-5', [E]],
    ['EC-5', [E]],
    ['PK3-8', [E, M]],
    ['P-8', [E, M]],
  ])('are those of its grades next: %s', (grades, expected) => {
    expect(levels({ grades })).toEqual(expected);
    expect(levels({ 'school:grades': grades, name: 'Elm University High School' })).toEqual(
      expected,
    );
  });

  test.each<[string, string[]]>([
    ['Highlandtown Elementary School', [E]],
    ['Armistead Gardens Elementary', [E]],
    ['Commodore John Rodgers Elementary & Middle School', [E, M]],
    ['Hamilton Elementary/Middle School', [E, M]],
    ['Luther Craven Mitchell Primary School', [E]],
    ['Lombard Middle School', [M]],
    ['Dundalk Junior High School', [M]],
    ['Fairmount Hill Junior-Senior High School', [M, H]],
    ['Lakeside Junior/Senior High', [M, H]],
    ['Elm Jr. High', [M]],
    ['Martin Luther King, Junior, Elementary School', [E]],
    ['Dr. Martin Luther King Jr. High School', [H]],
    ['Sammy Davis Junior School', [U]],
    ['Patterson High School', [H]],
    ['Western High', [H]],
    ['High Point Elementary School', [E]],
    ['Middle River Elementary School', [E]],
    ['Middle River Middle School', [M]],
    ['Middle Township Elementary No. 2', [E]],
    ['Middle Township Middle School', [M]],
    ['St. Lucie West K-8 School', [E, M]],
    ['Elm K-12 Academy', [E, M, H]],
    ['Elm High School K-8 Annex', [H]],
    ['P.S. 12', [E]],
    ['PS 157 Benjamin Franklin', [E]],
    ['Public School 30', [U]],
    ['P.S./I.S. 89 Cypress Hills', [E, M]],
    ['PS/MS 20', [E, M]],
    ['I.S. 77', [M]],
    ['MS 88 Peter Rouget', [M]],
    ['J.H.S. 145 Arturo Toscanini', [M]],
    ['JHS 217', [M]],
    ['H.S. 560', [H]],
    ['Elm Elem. School', [E]],
    ['Elm Grammar School', [E]],
    ['Elm Jr.-Sr. High', [M, H]],
    ['Elm High Sch.', [H]],
    ['Escuela Elemental Luis Muñoz Rivera', [E]],
    ['Escuela Intermedia Elm', [M]],
    ['Escuela Superior Elm', [H]],
    ['Lake Superior School', [U]],
    ['Patterson Park Public Charter School', [U]],
    ["St. Casimir's School", [U]],
  ])('are those of its name last: %s', (name, expected) => {
    expect(levels({ name })).toEqual(expected);
  });

  test('are unknown for a school without any of these', () => {
    expect(levels({})).toEqual([U]);
    expect(levels({ grades: 'all', 'isced:level': '' })).toEqual([U]);
  });
});
