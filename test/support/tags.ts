/** OSM tags parsed from text: `highway=service, access=private`. */
export function tagsOf(text: string): Map<string, string> {
  return new Map(text.split(', ').map((tag) => tag.split('=', 2) as [string, string]));
}
