import type { Command } from 'commander';
import type { z } from 'zod';
import { claim, readInputList } from '../../../builder/fetch/fetch-folder.ts';
import type { Thresholds } from '../../../builder/publish/judge-release.ts';
import { latestIfAny } from '../../../builder/publish/promote-release.ts';
import { Receipts } from '../../../builder/receipts/receipts.ts';
import { type Refreshed, refreshRelease } from '../../../builder/refresh.ts';
import { whileOpen } from '../../../shards/concurrency/while-open.ts';
import { changesInWords } from '../../../shards/release/notes-in-words.ts';
import { openWritableStore } from '../../../shards/store/open-store.ts';
import type { WritableStore } from '../../../shards/store/store.ts';
import { ArgumentError, describe } from '../../errors.ts';
import { buildSchema, fetchSchema, refreshSchema } from '../../settings/builds.ts';
import { type Flags, readSettings } from '../../settings/read-settings.ts';
import { deliver, type Webhook } from '../../webhook.ts';
import { type AreaFlags, readArea } from '../area-options.ts';
import { executorOf } from '../executor-of.ts';
import { addInputs, type InputFlags, readInputs } from '../input-options.ts';
import { packageVersion } from '../package-version.ts';
import { print, tell } from '../print.ts';
import { readTogether, runResumable, WRONG_ARGUMENTS } from '../run.ts';
import { addSettings } from '../setting-options.ts';
import { terminalProgress } from '../terminal-progress.ts';
import { buildOptions } from './build.ts';
import { addDownload, fetchArea } from './fetch.ts';

interface RefreshFlags extends InputFlags, AreaFlags, Flags {
  tiles: boolean;
}

/** Exit codes of `tta refresh`; 1 is an error. */
const EXIT_CODES = { promoted: 0, 'nothing-new': 3, refused: 4 } as const;

const schema = buildSchema.extend(fetchSchema.shape).extend(refreshSchema.shape);

export function defineRefresh(command: Command): void {
  addDownload(addInputs(command))
    .option('--no-tiles', 'do not build map tiles')
    .addHelpText(
      'after',
      `
The area is that of the folder of inputs, unless flags name one.
Exit codes: ${EXIT_CODES.promoted} a release was published, ${EXIT_CODES['nothing-new']} nothing is new, ${EXIT_CODES.refused} the release was refused and the one before stays, 1 an error, ${WRONG_ARGUMENTS} wrong arguments.

Examples:
  tta refresh --place "Baltimore, MD" --inputs ./baltimore --out ./store
  tta refresh --inputs ./baltimore --out ./store --fresh`,
    );
  addSettings(command, schema).action((flags: RefreshFlags) => runResumable(() => refresh(flags)));
}

function folderOf({ inputs }: RefreshFlags): string {
  if (inputs !== undefined) return inputs;
  throw new ArgumentError('give --inputs, the folder to download to');
}

async function refresh(flags: RefreshFlags): Promise<void> {
  const [folder, set] = await readTogether(
    () => folderOf(flags),
    () => readSettings(schema, flags),
  );
  const area = readArea(flags) ?? {
    places: [],
    counties: (await readInputList(folder)).counties,
    states: [],
    nation: false,
  };
  // Held until the release is published, since another run would replace the inputs.
  const release = await claim(folder, 'refresh');
  try {
    await refreshIn(folder, area, set, flags);
  } finally {
    await release();
  }
}

async function refreshIn(
  folder: string,
  area: Parameters<typeof fetchArea>[0]['area'],
  set: z.output<typeof schema>,
  flags: RefreshFlags,
): Promise<void> {
  const progress = terminalProgress(process.stderr);
  // Feeds of --gtfs are files in addition to those of the catalogue.
  await fetchArea({ area, out: folder }, { ...flags, gtfs: [] }, progress);
  const request = { ...(await readInputs(flags)), ...buildOptions(set, flags) };
  const thresholds: Thresholds = {
    feedsLost: set.MAX_FEEDS_LOST,
    blocksCutOff: set.MAX_BLOCKS_CUT_OFF,
    timesMoved: set.MAX_TIMES_MOVED,
    poisChanged: set.MAX_POIS_CHANGED,
  };
  await whileOpen(openWritableStore(set.STORE), async (store) => {
    const scratched = { ...request, scratch: store.scratch };
    const open = executorOf(set.QUEUE, store, progress);
    const now = new Date();
    const refreshed = await refreshRelease(scratched, thresholds, store, progress, now, open);
    const current = (await latestIfAny(store))?.release ?? 'none';
    print(...wordsFor(refreshed, current));
    process.exitCode = EXIT_CODES[refreshed.outcome];
    const { WEBHOOK_URL: url, WEBHOOK_SECRET: key } = set;
    if (url !== undefined && key !== undefined) await announce(refreshed, { url, key }, store);
  });
}

function* wordsFor(refreshed: Refreshed, current: string): Generator<string> {
  const { outcome, release, notes, reasons } = refreshed;
  if (outcome === 'nothing-new') {
    yield release === current
      ? `nothing new: release ${current} stays`
      : `nothing new: release ${release}, which these inputs give, was replaced by ${current}; tta release promote ${release} restores it`;
    return;
  }
  yield outcome === 'promoted'
    ? `promoted release ${release}`
    : `refused release ${release}; ${current} stays, and tta release promote ${release} publishes it anyway`;
  for (const reason of reasons) yield `  because: ${reason}`;
  if (notes.changes !== null) for (const line of changesInWords(notes.changes)) yield `  ${line}`;
}

/**
 * Sends the event of an outcome. A failure is a warning: the release stands, and the next run
 * sends it.
 */
async function announce(
  { outcome, release, manifest, notes, reasons }: Refreshed,
  webhook: Webhook,
  store: WritableStore,
): Promise<void> {
  const isCurrent = (await latestIfAny(store))?.manifest === manifest;
  if (outcome === 'nothing-new' && !isCurrent) return;
  const type = outcome === 'refused' ? 'release.refused' : 'release.promoted';
  const data = { release, manifest, before: notes.before, changes: notes.changes, reasons };
  try {
    const userAgent = `tta-refresh/${packageVersion()}`;
    await deliver(webhook, { type, data }, new Receipts(store), userAgent);
  } catch (error) {
    tell(`warning: not announced: ${describe(error)}`);
  }
}
