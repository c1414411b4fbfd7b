import { attributionOf, citationOf } from '../../../builder/export/terms.ts';
import { escapeHtml } from '../../../proxy/http/html.ts';
import { SMALL_GROUP } from '../../../proxy/queries/areas/group-measures.ts';
import type { Measure } from '../../../shards/changes/block-change.ts';
import type { ChangeSums } from '../../../shards/changes/change-sums.ts';
import { isTransit } from '../../../shards/modes.ts';
import { withCommas } from '../../../shards/number-words.ts';
import type { Release } from '../../../shards/release/release.ts';
import { BASE_PERCENTILE, clockTime } from '../../../shards/services.ts';
import { noiseOf } from '../../../shards/weights/noise.ts';
import { measureInWords, nameOf, STEP, shareInWords, stepInWords } from './change-summary.ts';
import type { Comparison } from './compare-releases.ts';
import { REPORT_CLASSES } from './report-map.ts';

/** Most rows of a table, so that the report stays one page. */
const [GROUPS, AREAS] = [10, 6];

const STYLE = `
@page { size: letter; margin: 12mm }
* { box-sizing: border-box }
body { margin: 0 auto; padding: 1rem; max-width: 50rem; font: 10pt/1.35 system-ui, sans-serif; color: #1c2733; background: #fff }
h1 { font-size: 16pt; line-height: 1.2; margin: 0 0 .2rem }
h2 { font-size: 10.5pt; margin: .7rem 0 .2rem }
p { margin: .15rem 0 }
.measure { color: #45505b }
figure { margin: .5rem 0 0; text-align: center }
svg { max-width: 100%; max-height: 88mm }
.legend { display: flex; flex-wrap: wrap; justify-content: center; gap: .1rem .9rem; font-size: 9pt }
.legend i { display: inline-block; width: 1.1em; height: .8em; margin-right: .35em; border: .5px solid #8a8a86; print-color-adjust: exact; -webkit-print-color-adjust: exact }
.legend .none { background: repeating-linear-gradient(45deg, #fff 0 2px, #8a8a86 2px 3px) }
table { width: 100%; border-collapse: collapse; font-size: 9pt; font-variant-numeric: tabular-nums }
th, td { padding: .1rem .2rem; text-align: right; border-bottom: .5px solid #c9ccc8; vertical-align: bottom }
th { font-weight: 600 }
th:first-child, td:first-child { text-align: left; width: 32% }
.method { font-size: 8.5pt; line-height: 1.3; color: #333d47 }
@media print { body { padding: 0; max-width: none; font-size: 9pt } table, .legend { font-size: 8pt } .method { font-size: 7.5pt } svg { max-height: 48mm; print-color-adjust: exact; -webkit-print-color-adjust: exact } h2, table, figure { break-inside: avoid } }
`;

/** A report of one page: one file without references to others. */
export function reportPage(
  comparison: Comparison,
  m: number,
  { question, map }: { readonly question: string; readonly map: string },
): string {
  const { pair, measures, weights, totals, byArea } = comparison;
  const measure = measures[m];
  const isTime = measure.kind === 'minutes';
  const words = measureInWords(pair, measure);
  const people = totals.of(0, m, 0);
  const labelOf = (weight: string) =>
    pair.after.weights.find((one) => one.weight === weight)?.label ?? weight;
  const groups = [...weights.entries()]
    .slice(1)
    .filter(
      ([, weight]) => pair.after.weights.find((one) => one.weight === weight)?.unit === 'people',
    )
    .slice(0, GROUPS)
    .map(([w, weight]) => ({ name: labelOf(weight), sums: totals.of(0, m, w) }));
  const areas = (['county', 'place'] as const).flatMap((kind) => {
    const { areas: own, totals: sums } = byArea[kind];
    return own.geoids.map((geoid, a) => ({
      name: nameOf(comparison, geoid!),
      sums: sums.of(a, m, 0),
    }));
  });
  const moved = ({ sums }: { sums: ChangeSums }) => sums.gained[1] + sums.lost[1];
  const shown = areas.sort((a, b) => moved(b) - moved(a)).slice(0, AREAS);
  const rows = [{ name: 'All people', sums: people }, ...groups, ...shown];
  const unit = isTime ? 'minutes' : '%';
  const heads = [
    'who',
    'total',
    `better by ≥&nbsp;${STEP}&nbsp;${unit}`,
    `better by ≥&nbsp;1&nbsp;${unit}`,
    'unchanged',
    `worse by ≥&nbsp;1&nbsp;${unit}`,
    `worse by ≥&nbsp;${STEP}&nbsp;${unit}`,
    'not known',
    'average before',
    'average after',
  ];
  const title = escapeHtml(question);
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${STYLE}</style>
<main>
<h1>${title}</h1>
<p class="measure">Compared: ${escapeHtml(words)}, in release ${escapeHtml(pair.before.manifest.release)} and in release ${escapeHtml(pair.after.manifest.release)}.</p>
<p><strong>${escapeHtml(answerOf(people, measure))}</strong></p>
<figure>${map}<figcaption class="legend">${legendOf(measure)}</figcaption></figure>
<h2>Who gains and who loses</h2>
<table><thead><tr>${heads.map((head) => `<th scope="col">${head}</th>`).join('')}</tr></thead>
<tbody>${rows.map(({ name, sums }, i) => rowOf(name, sums, i > 0 && i <= groups.length)).join('')}</tbody></table>
<div class="method"><h2>Method and limits</h2>
${methodOf(pair.before, pair.after, measure)
  .map((text) => `<p>${escapeHtml(text)}</p>`)
  .join('\n')}
</div></main></html>
`;
}

/** The answer in one sentence. */
function answerOf({ total, gained, lost, unchanged }: ChangeSums, { kind }: Measure): string {
  const least = stepInWords(kind);
  const share = (part: number) => shareInWords(part, total);
  return `Of ${withCommas(total)} people, ${share(gained[STEP])} gain ${least} or more, ${share(lost[STEP])} lose ${least} or more; for ${share(unchanged)} the change is less than ${kind === 'minutes' ? 'a minute' : 'a percent'}.`;
}

function legendOf({ kind }: Measure): string {
  const unit = kind === 'minutes' ? 'minutes' : 'percent';
  const items = REPORT_CLASSES.map(({ colour, words }) => {
    const text = words === 'unchanged' ? words : `${words} ${unit}`;
    return `<span><i style="background:${colour}"></i>${text}</span>`;
  });
  return [...items, '<span><i class="none"></i>not known</span>'].join('');
}

function rowOf(name: string, sums: ChangeSums, isGroup: boolean): string {
  const { total, gained, lost, unchanged, no_data, mean_before, mean_after } = sums;
  const isSmall = isGroup && total - no_data < SMALL_GROUP;
  // A tenth of a job says nothing, a tenth of a minute does.
  const mean = (value: number | null) =>
    value === null || isSmall
      ? '–'
      : withCommas(value < 100 ? Math.round(10 * value) / 10 : Math.round(value));
  const counts = [total, gained[STEP], gained[1], unchanged, lost[1], lost[STEP], no_data];
  const cells = [...counts.map(withCommas), mean(mean_before), mean(mean_after)];
  return `<tr><td>${escapeHtml(name)}</td>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
}

function methodOf(before: Release, after: Release, { kind, mode }: Measure): string[] {
  const daysOf = ({ window, manifest }: Release) => {
    const { feeds = manifest.feeds } = window;
    return [...new Set(feeds.map(({ service_date }) => service_date))].sort().join(', ');
  };
  const { opens, departures } = after.window;
  const window = `${clockTime(opens)} to ${clockTime(opens + departures)}`;
  const { percentile } = after.timing;
  const whose =
    percentile === BASE_PERCENTILE ? ', the time of someone who knows the timetable' : '';
  const days = [...new Set([before, after].map((one) => daysOf(one) || 'no timetable'))];
  const noise = noiseOf(after.weights[0]);
  return [
    `Door-to-door times from the centre of each census block, over the streets of OpenStreetMap${
      isTransit(mode)
        ? `, and by the timetables of ${days.join(' and ')}: percentile ${percentile} of the departures of each minute from ${window}${whose}`
        : ''
    }. ${
      kind === 'minutes'
        ? 'The nearest is the one of the least time; a time beyond 30 minutes counts as 30, so that no gain or loss is overstated, and averages are lower bounds.'
        : 'Counted is what is within the time limit, by whole minutes, the block itself included; percent are of the count before.'
    } A change of less than 1 counts as none. Not known: no street of the mode is near the centre, in one of the releases at least, or only one has the block.`,
    `Limits: all people of a block are at its centre; POIs that the map lacks are not counted; delays, crowding and fares are not in the times. ${
      noise
        ? `${noise.method} Typical errors: ${noise.typical_error.map(({ counts, error }) => `${counts}: ${error}`).join('; ')}. Averages of groups of fewer than ${SMALL_GROUP} are left out.`
        : ''
    }`,
    `Releases ${before.version} and ${after.version}. ${citationOf(after)} Sources: ${attributionOf(after)}.`,
  ];
}
