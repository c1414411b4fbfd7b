import type { Command } from 'commander';
import { counted } from '../../../shards/number-words.ts';
import { ArgumentError } from '../../errors.ts';
import { applyScenario } from '../../scenario/apply-scenario.ts';
import { ScenarioError } from '../../scenario/scenario-file.ts';
import { print, tell } from '../print.ts';
import { run } from '../run.ts';

interface ScenarioFlags {
  gtfs: string;
  out?: string;
  dryRun?: boolean;
}

export function defineScenario(command: Command): void {
  command
    .argument('<change.yaml>', 'the changes, in the order in which they are made')
    .requiredOption('--gtfs <feed>', 'the GTFS feed to change, a .zip file or a folder')
    .option('--out <feed>', 'the changed feed: a .zip file, or a new folder')
    .option('--dry-run', 'only say what would change')
    .addHelpText('after', HELP)
    .action((file: string, flags: ScenarioFlags) => run(() => change(file, flags)));
}

const HELP = `
Changes: remove-route, add-route, reroute, adjust-headway, adjust-span, adjust-speed, move-stop,
add-stop. infra/docs/recipes/scenario.md has the members of each.

Example:
  cat > change.yaml <<'END'
  scenario: The crosstown bus every five minutes in the morning
  changes:
    - change: adjust-headway
      route: "1"
      days: weekdays
      from: 06:30
      until: 09:30
      headway: 5 min
  END
  tta scenario change.yaml --gtfs in.zip --out out.zip`;

async function change(file: string, { gtfs, out, dryRun = false }: ScenarioFlags): Promise<void> {
  if (out === undefined && !dryRun) {
    throw new ArgumentError('give --out, the feed to write, or --dry-run');
  }
  try {
    const request = { scenario: file, gtfs, out: dryRun ? null : out! };
    const { name, changes, notes } = await applyScenario(request);
    const lines = [
      `${name}: ${counted(changes.length, 'change')}`,
      ...changes.flatMap(({ place, change, did }) => [
        `${place}: ${change}`,
        ...did.map((line) => `  ${line}`),
      ]),
      ...notes,
      dryRun ? 'nothing is written (--dry-run)' : out!,
    ];
    print(...lines);
  } catch (error) {
    if (error instanceof ScenarioError) tell(...error.problems);
    throw error;
  }
}
