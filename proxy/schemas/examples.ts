/**
 * What the document's examples ask for and answer: of the demo city of `npm start`, so that what is
 * tried there has an answer.
 */
export const EXAMPLE_BLOCK = '990010001001000';
export const BLOCK_EXAMPLE = { population: 10, land_area_m2: 7200 };
/** In the block. */
export const EXAMPLE_POINT = { lat: 35.9776, lon: -70.03 };
export const EXAMPLE_PLACE = '9957600';
/** Minutes from the block, on foot, to the place to go and to the nearest grocery store: it is one. */
const WALK = 18.6;
export const NEAREST_EXAMPLE = { dest_type_id: 101, mode: 'walk', travel_time: WALK };
export const AREAL_EXAMPLE = {
  geoid: EXAMPLE_BLOCK,
  dest_type_id: 101,
  mode_id: 1,
  mode: 'walk',
  travel_time: WALK,
};
/** More than `WALK`. */
export const EXAMPLE_MAX_MINUTES = 20;

export const POI_EXAMPLE = {
  dest_id: 4000236546,
  name: 'Fairmarket',
  lat: 35.988428,
  lon: -70.026827,
  address: { street: '1130 4th Street', city: 'Port Meridian', state: 'XA', zip: '00101' },
};
export const POI_TIME_EXAMPLE = { ...POI_EXAMPLE, mode: 'walk', travel_time: WALK };
export const CATCHMENT_EXAMPLE = {
  dest_id: POI_EXAMPLE.dest_id,
  geoid: EXAMPLE_BLOCK,
  mode: 'walk',
  travel_time: WALK,
};
