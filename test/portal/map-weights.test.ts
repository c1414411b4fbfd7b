import { expect, test } from 'vitest';
import { inOrder } from '../../portal/pages/map/catalogue/weights.ts';

test('weights are offered as wholes before their parts, wages from low to high, others last', () => {
  const units = {
    clinics: 'clinics',
    households: 'households',
    housing_units: 'housing units',
    jobs: 'jobs',
    jobs_high_wage: 'jobs',
    jobs_low_wage: 'jobs',
    jobs_mid_wage: 'jobs',
    people: 'people',
    people_18_plus: 'people',
    workers: 'workers',
    workers_high_wage: 'workers',
    workers_low_wage: 'workers',
  };
  const listed = Object.entries(units).map(([weight, unit]) => ({ weight, unit }));
  expect(inOrder(listed).map(({ weight }) => weight)).toEqual([
    'jobs',
    'jobs_low_wage',
    'jobs_mid_wage',
    'jobs_high_wage',
    'workers',
    'workers_low_wage',
    'workers_high_wage',
    'people',
    'people_18_plus',
    'housing_units',
    'households',
    'clinics',
  ]);
});
