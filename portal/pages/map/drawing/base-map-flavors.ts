import { DARK, type Flavor, LIGHT } from '@protomaps/basemaps';
import { MAP_COLOURS } from '../../../map-classes.ts';

/** Colours of the layers over coloured blocks, legible on each class. */
interface Ink {
  readonly road: string;
  readonly casing: string;
  readonly rail: string;
  readonly boundary: string;
  readonly text: string;
  readonly faintText: string;
  readonly halo: string;
}

/** Colours of the base map by scheme: those of Protomaps, with inks and grounds of our own. */
export const BASE_MAP_FLAVORS: Readonly<Record<keyof typeof MAP_COLOURS, Flavor>> = {
  light: flavorOf(LIGHT, '#e6e4de', MAP_COLOURS.light.water, {
    road: '#ffffff',
    casing: '#8c979f',
    rail: '#6b757d',
    boundary: '#5b4a66',
    text: '#1c2733',
    faintText: '#33404c',
    halo: '#ffffff',
  }),
  dark: flavorOf(DARK, '#12181c', MAP_COLOURS.dark.water, {
    road: '#0e151a',
    casing: '#6d7d88',
    rail: '#8a97a0',
    boundary: '#c7b6d4',
    text: '#f2f5f7',
    faintText: '#c3ccd3',
    halo: '#0b1116',
  }),
};

function flavorOf(base: Flavor, earth: string, water: string, ink: Ink): Flavor {
  const { road, casing, rail, boundary, text, faintText, halo } = ink;
  const roads = Object.keys(base)
    .filter((key) => /^(tunnel|bridges|minor|link|major|highway|other)/.test(key))
    .map((key) => [key, key.includes('casing') ? casing : road]);
  return {
    ...base,
    ...Object.fromEntries(roads),
    earth,
    water,
    railway: rail,
    boundaries: boundary,
    roads_label_minor: text,
    roads_label_minor_halo: halo,
    roads_label_major: text,
    roads_label_major_halo: halo,
    ocean_label: faintText,
    subplace_label: text,
    subplace_label_halo: halo,
    city_label: text,
    city_label_halo: halo,
    state_label: faintText,
    state_label_halo: halo,
  };
}
