import { type Command, Option } from 'commander';
import { DEMO_PRESETS, type DemoPreset, writeDemoCity } from '../../demo/write-demo-city.ts';
import { integer } from '../integer-flag.ts';
import { print } from '../print.ts';
import { run } from '../run.ts';
import { terminalProgress } from '../terminal-progress.ts';
import { buildCommand } from './fetch.ts';

interface DemoFlags {
  blocks: string;
  seed: string;
  counties: string;
  preset: DemoPreset;
  out: string;
}

export function defineDemo(command: Command): void {
  command
    .option('--blocks <n>', 'number of census blocks, at least 500', '2000')
    .option('--seed <s>', 'a different seed makes a different city', '1')
    .option('--counties <n>', 'number of counties', '2')
    .addOption(
      new Option(
        '--preset <kind>',
        'a city with three transit lines, a metropolis with 300, or a country of larger blocks',
      )
        .choices(DEMO_PRESETS)
        .default('city'),
    )
    .requiredOption('--out <dir>', 'output folder')
    .addHelpText(
      'after',
      '\nExample:\n  tta demo --blocks 2000 --out ./city\n  tta build --inputs ./city --out ./store',
    )
    .action((flags: DemoFlags) =>
      run(async () => {
        await writeDemoCity(
          {
            blocks: integer('--blocks', flags.blocks, 500, 1_000_000)!,
            seed: integer('--seed', flags.seed, 0, 2 ** 32 - 1)!,
            counties: integer('--counties', flags.counties, 2, 400)!,
            preset: flags.preset,
            out: flags.out,
          },
          terminalProgress(process.stderr),
        );
        print(buildCommand(flags.out));
      }),
    );
}
