import { duration, type Progress, type StageProgress } from '../../builder/progress.ts';
import { withCommas } from '../../shards/number-words.ts';
import { asShown } from '../../shards/shown-text.ts';

const REDRAW_MS = 100;
/**
 * Interval of lines on a pipe: short enough to show that the program is alive, long enough to read.
 */
const PLAIN_MS = 5_000;
/** Minimum rate shown, per second. */
const MIN_RATE = 0.1;
/** Minimum time and part of the work before the time left can be estimated. */
const MIN_SECONDS = 3;
const MIN_PART = 0.03;

/**
 * Displays progress: on a terminal, one line per stage, redrawn in place with rate and time left;
 * on a pipe, plain lines.
 */
export function terminalProgress(
  out: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>,
  now = () => performance.now(),
): Progress {
  const live = out.isTTY === true;
  const show = (text: string, end: string) => {
    const line = asShown(text);
    out.write(live ? `\r\x1b[2K${line}${end}` : `${line}\n`);
  };
  return {
    note: (line) => show(line, '\n'),
    start(stage, total, unit): StageProgress {
      const begun = now();
      let shown = begun;
      let latest = 0;
      const seconds = () => (now() - begun) / 1000;
      if (live) show(`${stage} …`, '');
      return {
        at(done) {
          latest = done;
          if (now() - shown < (live ? REDRAW_MS : PLAIN_MS)) return;
          shown = now();
          show(runningLine(stage, done, total, unit, seconds()), '');
        },
        finish(summary) {
          const what = summary ?? units(total ?? latest, unit);
          show(`${stage}: ${what} (${duration(seconds())})`, '\n');
        },
      };
    },
  };
}

function runningLine(
  stage: string,
  done: number,
  total: number | null,
  unit: string,
  seconds: number,
): string {
  const rate = done / Math.max(seconds, 0.001);
  const pace = rate < MIN_RATE ? '' : `, ${rateText(rate)} ${unit}/s`;
  if (total === null) return `${stage}: ${withCommas(done)} ${unit}${pace}`;
  const part = done / Math.max(1, total);
  const isKnown = seconds >= MIN_SECONDS && part >= MIN_PART;
  const left = isKnown ? `, ${duration((total - done) / rate)} left` : '';
  const percent = Math.floor(100 * part);
  return `${stage}: ${percent} %, ${withCommas(done)} of ${withCommas(total)} ${unit}${pace}${left}`;
}

/** Formats a rate. Slow rates have a decimal, since whole numbers would show them as 0. */
function rateText(rate: number): string {
  return rate < 10 ? rate.toFixed(1) : withCommas(Math.round(rate));
}

/** Formats a count, as in `1 county`, `2,000 blocks`. `unit` is a plural. */
function units(value: number, unit: string): string {
  const one = unit.replace(/ies$/, 'y').replace(/s$/, '');
  return `${withCommas(value)} ${value === 1 ? one : unit}`;
}
