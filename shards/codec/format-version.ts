/** The version of every binary layout in `shards/`. A reader refuses another one. */
export const FORMAT_VERSION = 3;
