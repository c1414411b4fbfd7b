import type { Command } from 'commander';
import { writeFileWhole } from '../../../builder/inputs/whole-file.ts';
import { countedType } from '../../../shards/access/access-columns.ts';
import { messageOf } from '../../../shards/error-facts.ts';
import type { WritableStore } from '../../../shards/store/store.ts';
import { UsageError } from '../../errors.ts';
import { measureInWords, STEP } from '../changes/change-summary.ts';
import {
  addCompareOptions,
  type CompareFlags,
  type Comparison,
  compareReleases,
} from '../changes/compare-releases.ts';
import { openPair } from '../changes/open-pair.ts';
import { reportMap } from '../changes/report-map.ts';
import { reportPage } from '../changes/report-page.ts';
import { print } from '../print.ts';

export interface ReportFlags extends CompareFlags {
  readonly out: string;
  readonly question?: string;
}

export function addReportOptions(command: Command): Command {
  return addCompareOptions(command)
    .requiredOption('--out <file>', 'the HTML file to write')
    .option('--question <text>', 'the title of the report');
}

/**
 * Writes a report of one page about the selected time or count; of several, about the one that
 * changes for most people.
 */
export async function writeReport(
  store: WritableStore,
  names: readonly [string, string],
  flags: ReportFlags,
): Promise<void> {
  const comparison = await compareReleases(await openPair(store, names, flags), flags);
  const { pair, counties, measures } = comparison;
  if (measures.length === 0) {
    throw new UsageError('both releases have none of these types, modes and weights');
  }
  const m = mostChanged(comparison);
  const [before, after] = [pair.before, pair.after].map(({ manifest }) => manifest.release);
  const question = flags.question ?? `What changes between release ${before} and release ${after}?`;
  const words = measureInWords(pair, measures[m]);
  const map = await reportMap(counties, measures[m], 'Blocks that are better or worse served');
  const page = Buffer.from(reportPage(comparison, m, { question, map }));
  await writeFileWhole(flags.out, async function* () {
    yield page;
  }).catch((error) => {
    throw new UsageError(`${flags.out}: cannot be written (${messageOf(error)}); check --out`);
  });
  print(`${flags.out}: ${words}`);
}

/**
 * The measure that changes for most people: by `STEP` or more, then by one. Numbers of POIs come
 * last, since one more of a few is a large part of them.
 */
function mostChanged({ measures, totals }: Comparison): number {
  const moved = measures.map((measure, m) => {
    const { gained, lost } = totals.of(0, m, 0);
    const isOfPois = measure.kind !== 'minutes' && countedType(measure.of) !== null;
    return [isOfPois ? 0 : 1, gained[STEP] + lost[STEP], gained[1] + lost[1]];
  });
  const isLess = (a: readonly number[], b: readonly number[]) => {
    const at = a.findIndex((one, i) => one !== b[i]);
    return at !== -1 && a[at] < b[at];
  };
  return moved.reduce((best, one, m) => (isLess(moved[best], one) ? m : best), 0);
}
