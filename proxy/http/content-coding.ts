const LISTED = /(?:^|,)\s*(gzip|x-gzip|\*)\s*(?:;\s*q\s*=\s*([\d.]+)\s*)?(?=,|$)/gi;

/** Whether `Accept-Encoding` takes gzip: RFC 9110 section 12.5.3. A coding by name outdoes `*`. */
export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  if (acceptEncoding === undefined) return false;
  let any = false;
  for (const [, coding, weight = '1'] of acceptEncoding.matchAll(LISTED)) {
    if (coding !== '*') return Number(weight) > 0;
    any = Number(weight) > 0;
  }
  return any;
}
