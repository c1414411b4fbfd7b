/** Returns the street modes that some modes need; transit begins with a walk. */
export function streetsOf(modes: readonly string[]): readonly string[] {
  return [...new Set(modes.map((mode) => (mode === 'bike' ? 'bike' : 'walk')))];
}
