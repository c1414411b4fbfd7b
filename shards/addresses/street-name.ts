import { foldText } from '../folded-text.ts';

/**
 * Abbreviations of the Postal Service's street suffixes (Publication 28, appendix C1), each
 * followed by its name and other spellings.
 */
const SUFFIXES = `
aly alley allee ally; anx annex; arc arcade; ave avenue av aven avenu avn avnue; bch beach; bnd bend;
blf bluff; blvd boulevard boul boulv; br branch; brg bridge; brk brook; byp bypass; cp camp; cyn canyon;
cswy causeway; ctr center centre cent; cir circle circ crcl; clf cliff; clb club; cmn common; cor corner;
crse course; ct court; cts courts; cv cove; crk creek; cres crescent crsent; xing crossing; xrd crossroad;
curv curve; dl dale; dr drive driv drv; est estate; ests estates; expy expressway express; ext extension;
fls falls; fry ferry; fld field; flds fields; flt flat; frd ford; frst forest; frk fork; ft fort;
fwy freeway; gdn garden; gdns gardens grdns; gtwy gateway; gln glen; grn green; grv grove; hbr harbor;
hvn haven; hts heights ht; hwy highway highwy hiway; hl hill; hls hills; holw hollow; inlt inlet;
is island; isle; jct junction; ky key; knl knoll; lk lake; lks lakes; lndg landing; ln lane; lgt light;
loop loops; mall; mnr manor; mdw meadow; mdws meadows; mews; ml mill; mls mills; msn mission; mtwy motorway;
mt mount; mtn mountain; orch orchard; oval; ovlk overlook; park prk; parade; pkwy parkway parkwy pkway pky;
pass; psge passage; path; pike; pne pine; pnes pines; pl place; pln plain; plz plaza; pt point; prt port;
pr prairie; ramp; rnch ranch; rst rest; rdg ridge; rise; riv river; rd road; rte route; row; run; sq square
sqr; sta station; st street str strt; smt summit; ter terrace terr; trce trace; trak track; trl trail;
tunl tunnel; tpke turnpike trnpk; un union; vly valley; via viaduct; vw view; vlg village villg; vis vista;
walk; way wy; wl well; wls wells; bank; close; side`;
const DIRECTIONS = `n north; s south; e east; w west; ne northeast; nw northwest; se southeast; sw southwest`;
const STATES_OF_NAMES = `saint st; mount mt; fort ft; doctor dr; avenue ave av; rte route; hwy highway; us`;
const ORDINALS =
  'zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth'.split(
    ' ',
  );
const TENS = ['twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];
const TENTHS = TENS.map((ten) => `${ten.slice(0, -1)}ieth`);

function spellings(table: string): ReadonlyMap<string, string> {
  const entries = table.trim().split(/;\s*/);
  return new Map(
    entries.flatMap((entry) => {
      const words = entry.split(/\s+/);
      return words.map((word) => [word, words[0]] as const);
    }),
  );
}

const SUFFIX = spellings(SUFFIXES);
const DIRECTION = spellings(DIRECTIONS);
const FIRST_WORD = spellings(STATES_OF_NAMES);
/** All spellings of suffixes that are long enough to be recognized with a letter wrong. */
export const LONG_SUFFIXES: readonly string[] = [...SUFFIX.keys()].filter(
  (word) => word.length >= 4,
);

/** A street name in its parts, normalized; absent parts are ''. */
export interface StreetName {
  /** Direction before the name: `n`, `sw`. */
  readonly before: string;
  /** The name itself, such as `charles` or `25th`. */
  readonly base: string;
  /** Postal abbreviation of the suffix: `st`. */
  readonly suffix: string;
  readonly after: string;
}

/** Splits text into folded words, without punctuation: `O'Donnell St.` gives `odonnell`, `st`. */
export function wordsOf(text: string): string[] {
  return foldText(text)
    .replaceAll(/['’.]/g, '')
    .split(/[^\p{L}\p{N}/]+/u)
    .filter((word) => word !== '');
}

export function suffixOf(word: string): string | undefined {
  return SUFFIX.get(word);
}

export function directionOf(word: string): string | undefined {
  return DIRECTION.get(word);
}

/**
 * Takes a street name apart as Publication 28 does: directions at its ends and the suffix, as long
 * as a name is left. `North Avenue` has no direction, and `W North Ave` has one. Without
 * `hasSuffix` the last word belongs to the name: `Patterson Park`, for Patterson Park Avenue.
 */
export function parseStreetName(words: readonly string[], hasSuffix = true): StreetName {
  let rest = numbered(words);
  let [before, suffix, after] = ['', '', ''];
  const last = () => rest[rest.length - 1];
  // A letter after Avenue is its name: Avenue E.
  const isLettered = rest.length === 2 && FIRST_WORD.get(rest[0]) === 'avenue';
  if (rest.length > 2 && DIRECTION.has(last())) {
    after = DIRECTION.get(last())!;
    rest = rest.slice(0, -1);
  }
  if (hasSuffix && rest.length > 1 && SUFFIX.has(last()) && !isLettered) {
    suffix = SUFFIX.get(last())!;
    rest = rest.slice(0, -1);
  }
  if (rest.length > 1 && DIRECTION.has(rest[0])) {
    before = DIRECTION.get(rest[0])!;
    rest = rest.slice(1);
  }
  if (after === '' && suffix === '' && rest.length === 2 && DIRECTION.has(last()) && !isLettered) {
    after = DIRECTION.get(last())!;
    rest = rest.slice(0, -1);
  }
  return { before, base: baseOf(rest), suffix, after };
}

/** Writes a name in one way: `st paul` as `saint paul`, a lone `n` as `north`, `5` as `5th`. */
function baseOf(words: readonly string[]): string {
  const [first, ...others] = words;
  if (first === undefined) return '';
  if (others.length > 0) return [FIRST_WORD.get(first) ?? first, ...others].join(' ');
  if (/^\d+$/.test(first)) return ordinal(Number(first));
  const direction = DIRECTION.get(first);
  const whole =
    direction && [...DIRECTION].find(([word, one]) => one === direction && word !== one);
  return whole?.[0] ?? first;
}

/** Replaces ordinals in words by numbers: `twenty first` and `21st` by `21st`. */
function numbered(words: readonly string[]): string[] {
  const out: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i];
    const ten = TENS.indexOf(word);
    const one = ORDINALS.indexOf(words[i + 1] ?? '');
    if (ten !== -1 && one > 0 && one < 10) {
      out.push(ordinal(10 * (ten + 2) + one));
      i++;
    } else if (ORDINALS.includes(word)) out.push(ordinal(ORDINALS.indexOf(word)));
    else if (TENTHS.includes(word)) out.push(ordinal(10 * (TENTHS.indexOf(word) + 2)));
    else out.push(/^\d+(?:st|nd|rd|th)$/.test(word) ? ordinal(Number.parseInt(word, 10)) : word);
  }
  return out;
}

function ordinal(n: number): string {
  const isTeen = n % 100 >= 11 && n % 100 <= 13;
  return `${n}${isTeen ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th')}`;
}

/** A street's name for people: `E Fort Ave`. */
export function streetLabel({ before, base, suffix, after }: StreetName): string {
  const words = [before.toUpperCase(), capitalized(base), capitalized(suffix), after.toUpperCase()];
  return words.filter((word) => word !== '').join(' ');
}

function capitalized(text: string): string {
  return text.replaceAll(/(^| )\p{L}/gu, (first) => first.toUpperCase());
}
