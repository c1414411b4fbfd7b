/** Vertices that a polygon may have, the repeated ends of its rings not among them. */
export const MAX_VERTICES = 2_000;
