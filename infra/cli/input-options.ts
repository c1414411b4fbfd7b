import path from 'node:path';
import { type Command, Option } from 'commander';
import { MAX_FEEDS_LEFT_OUT, type PlanRequest } from '../../builder/build-request.ts';
import { readInputList } from '../../builder/fetch/fetch-folder.ts';
import {
  ROUTING_OPTIONS,
  type RoutingChoice,
  RULE_NAMES,
  type RuleOfR5,
  USUAL_UNKNOWN,
  WHEELCHAIR_UNKNOWN,
  type WheelchairUnknown,
} from '../../builder/routing-parameters.ts';
import { COUNTY_FIPS } from '../../shards/geoid.ts';
import {
  FURTHER_MODES,
  type FurtherMode,
  furtherModesOf,
  isMode,
  isTransit,
  MODE_LABELS,
  SLOW_WALK_KMH,
} from '../../shards/modes.ts';
import { ArgumentError } from '../errors.ts';
import { commaList } from './comma-list.ts';
import { KNOWN_WINDOWS, parsePercentiles, parseWindows } from './window-options.ts';

export interface FeedFlags {
  serviceDate?: string;
  strict?: boolean;
  maxFeedsLeftOut?: string;
  feedsWithoutLicence: 'keep' | 'leave-out';
  windows?: string;
  percentiles?: string[];
  modes?: string;
  wheelchairUnknown?: WheelchairUnknown;
  walkSpeed?: string;
  bikeSpeed?: string;
  bikeStress?: string;
  boardSlack?: string;
  maxWalkLeg?: string;
  maxTransferWalk?: string;
}

export interface InputFlags extends FeedFlags {
  inputs?: string;
  osm?: string[];
  blocks?: string[];
  population?: string[];
  gtfs?: string[];
  places?: string[];
  pois?: string[];
  elevation?: string[];
  weights?: string[];
  partialWeights?: boolean;
  addresses?: string[];
  counties?: string;
  rulesOfR5?: RuleOfR5[];
}

export function addInputs(command: Command): Command {
  command
    .option(
      '--inputs <dir>',
      'a folder that tta fetch filled: its files, and its counties unless --counties names others; other flags add to them',
    )
    .option('--osm <files...>', 'OpenStreetMap extracts, .osm.pbf; required without --inputs')
    .option(
      '--blocks <files...>',
      'census blocks: TIGER/Line tabblock20 shapefiles (.zip or .shp); required without --inputs',
    )
    .option(
      '--population <tables...>',
      'people of blocks, for block files without POP20: CSV with the columns geoid and population, or PL 94-171 (.pl.zip)',
    )
    .option('--gtfs <feeds...>', 'GTFS feeds, .zip files or folders (default: no transit)')
    .option(
      '--places <files...>',
      'census places: TIGER/Line place shapefiles; a layer of counties among them names the counties',
    )
    .option(
      '--pois <files...>',
      'POIs in addition to those of OpenStreetMap: GeoJSON or GeoParquet, in Overture’s schema or your own',
    )
    .option(
      '--elevation <files...>',
      'elevation data, for hills: GeoTIFF in degrees (.tif) or SRTM tiles such as N39W077.hgt (default: all streets are level)',
    )
    .option(
      '--weights <files...>',
      'counts by block, block group or tract: LODES wac and rac (.csv.gz), PL 94-171 (.pl.zip), or CSV with a geoid column (default: people only)',
    )
    .option(
      '--partial-weights',
      'accept weights for fewer than 90 % of the blocks; the others count as 0',
    )
    .option(
      '--addresses <files...>',
      'house numbers for the search of addresses: TIGER/Line addrfeat shapefiles (.zip), and .osm.pbf files for their addr:* (default: no addresses)',
    )
    .option(
      '--counties <fips>',
      'origin counties, five-digit codes, comma-separated (default: all in --blocks); destinations may be in any block of --blocks',
    )
    .addOption(
      new Option(
        '--rules-of-r5 <rules...>',
        'rules to replace by those of R5, for times to compare with it (default: none)',
      ).choices(RULE_NAMES),
    );
  return addFeeds(command);
}

function addRouting(command: Command): Command {
  const flag = ({ flag, unit, usual, least, most }: (typeof OPTIONS)[number][1], text: string) =>
    command.option(`${flag} <${unit}>`, `${text}, ${least} to ${most} (default: ${usual})`);
  const { walk_speed_kmh, bike_speed_kmh, bike_max_traffic_stress } = ROUTING_OPTIONS;
  flag(walk_speed_kmh, 'walking speed on level ground in km/h');
  flag(bike_speed_kmh, 'cycling speed on level ground in km/h');
  flag(bike_max_traffic_stress, 'highest level of traffic stress that is ridden');
  const { transit_board_slack_s, transit_max_walk_leg_min } = ROUTING_OPTIONS;
  flag(transit_board_slack_s, 'seconds that riders are at the stop before the vehicle leaves');
  flag(transit_max_walk_leg_min, 'longest walk to the first stop and from the last, in minutes');
  flag(ROUTING_OPTIONS.transit_max_transfer_walk_m, 'longest walk between stops, in metres');
  return command;
}

const OPTIONS = Object.entries(ROUTING_OPTIONS);

/** Parses the flags on the parameters; throws an `ArgumentError` for invalid values. */
export function parseRouting(flags: Partial<FeedFlags>): RoutingChoice {
  const chosen = OPTIONS.flatMap(([name, { flag, unit, least, most, isWhole }]) => {
    const text = flags[camelCase(flag) as keyof FeedFlags] as string | undefined;
    if (text === undefined) return [];
    const value = Number(text);
    if (text.trim() === '' || !(value >= least && value <= most)) {
      throw new ArgumentError(
        `${flag}: "${text}" is not a number (${unit}) from ${least} to ${most}`,
      );
    }
    if (isWhole && !Number.isInteger(value)) {
      throw new ArgumentError(`${flag}: "${text}" is not a whole number (${unit})`);
    }
    return [[name, value]];
  });
  return Object.fromEntries(chosen);
}

function camelCase(flag: string): string {
  return flag.slice(2).replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** Adds the flags on which feeds a release may do without, and when they are read for. */
export function addFeeds(command: Command): Command {
  return addRouting(command)
    .option(
      '--service-date <date>',
      'transit service day, YYYY-MM-DD (default: the weekday closest to the street data with regular service in most feeds)',
    )
    .option(
      '--windows <list>',
      `windows of departures by transit, comma-separated: ${KNOWN_WINDOWS}, or name=HH:MM+60@weekday, @saturday or @sunday; am is always among them`,
    )
    .option(
      '--percentiles <lists...>',
      'percentiles of the transit times of a window, such as 10,50 for all or am:10,50 for one; 10 is always among them',
    )
    .option(
      '--modes <list>',
      `modes, comma-separated: ${FURTHER_MODES.join(', ')}, besides walk, bike and, with feeds, transit, which every release has`,
    )
    .addOption(
      new Option(
        '--wheelchair-unknown <what>',
        `which trips and stops transit_step_free uses if a feed does not say whether they are usable in a wheelchair: street all but stops off the street, passed all, closed none (default: ${USUAL_UNKNOWN})`,
      ).choices([...WHEELCHAIR_UNKNOWN]),
    )
    .option(
      '--strict',
      'refuse feeds that cannot be used, with all reasons; otherwise leave them out',
    )
    .option(
      '--max-feeds-left-out <percent>',
      `the largest share of the feeds, and of their trips, that may be unreadable (default: ${MAX_FEEDS_LEFT_OUT})`,
    )
    .addOption(
      new Option(
        '--feeds-without-licence <what>',
        'feeds of which no licence is known, as those of --gtfs; that of feeds in --inputs is in the catalogue',
      )
        .choices(['keep', 'leave-out'])
        .default('keep'),
    );
}

/** Parses the flags on feeds; throws an `ArgumentError` for invalid values. */
export function readFeeds(flags: FeedFlags) {
  const windows = parseWindows(flags.windows);
  const furtherModes = parseModes(flags.modes);
  const routing = parseRouting(flags);
  const { walk_speed_kmh: speed = ROUTING_OPTIONS.walk_speed_kmh.usual } = routing;
  if (furtherModes.includes('walk_slow') && speed <= SLOW_WALK_KMH) {
    throw new ArgumentError(
      `--walk-speed: "${flags.walkSpeed}" is not faster than walk_slow, ${SLOW_WALK_KMH} km/h`,
    );
  }
  const { wheelchairUnknown = USUAL_UNKNOWN } = flags;
  if (flags.wheelchairUnknown !== undefined && !furtherModes.includes('transit_step_free')) {
    throw new ArgumentError(
      '--wheelchair-unknown: applies only to step-free transit; add transit_step_free to --modes',
    );
  }
  return {
    furtherModes,
    wheelchairUnknown,
    routing,
    windows,
    percentiles: parsePercentiles(flags.percentiles, windows),
    leaveOutUnlicensed: flags.feedsWithoutLicence === 'leave-out',
    strictFeeds: flags.strict ?? false,
    maxFeedsLeftOut: parsePercent(flags.maxFeedsLeftOut) ?? MAX_FEEDS_LEFT_OUT,
    ...(flags.serviceDate !== undefined && { serviceDate: parseDate(flags.serviceDate) }),
  };
}

/**
 * Parses `--modes`: those besides the modes of every release. Throws an `ArgumentError` for any
 * other text.
 */
export function parseModes(list: string | undefined): FurtherMode[] {
  if (list === undefined) return [];
  const modes = commaList(list);
  const unknown = modes.find((mode) => !isMode(mode));
  if (unknown !== undefined) {
    throw new ArgumentError(`--modes: "${unknown}" is none of ${MODE_LABELS.join(', ')}`);
  }
  const twice = modes.find((mode, i) => modes.indexOf(mode) < i);
  if (twice !== undefined) throw new ArgumentError(`--modes: ${twice} is listed twice`);
  return furtherModesOf(modes);
}

type Inputs = Required<Omit<PlanRequest, 'serviceDate'>> & Pick<PlanRequest, 'serviceDate'>;

/** Parses the input flags; throws an `ArgumentError` for invalid values. */
export async function readInputs(flags: InputFlags): Promise<Inputs> {
  const { inputs: folder } = flags;
  const fetched = folder === undefined ? null : await readInputList(folder);
  const files = (own: readonly string[] = [], listed: readonly string[] = []) => [
    ...listed.map((file) => path.join(folder!, file)),
    ...own,
  ];
  const osm = files(flags.osm, fetched?.osm);
  const blocks = files(flags.blocks, fetched?.blocks);
  if (osm.length === 0 || blocks.length === 0) {
    throw new ArgumentError('give --inputs, or both --osm and --blocks');
  }
  const feeds = fetched?.gtfs ?? [];
  const gtfs = files(
    flags.gtfs,
    feeds.map(({ file }) => file),
  );
  const byTransit = commaList(flags.modes ?? '').find(isTransit);
  if (gtfs.length === 0 && byTransit !== undefined) {
    throw new ArgumentError(`--modes: ${byTransit} needs feeds; add --gtfs`);
  }
  if (flags.serviceDate !== undefined && gtfs.length === 0) {
    throw new ArgumentError('--service-date: applies only to transit feeds; add --gtfs');
  }
  const own = readFeeds(flags);
  const { bike_speed_kmh: speed = ROUTING_OPTIONS.bike_speed_kmh.usual } = own.routing;
  if (fetched && speed > fetched.bike_speed_kmh) {
    throw new ArgumentError(
      `--bike-speed: the files in ${folder} reach as far as ${fetched.bike_speed_kmh} km/h; run the tta fetch command for this folder again, with --bike-speed ${speed}`,
    );
  }
  return {
    osm,
    blocks,
    population: files(flags.population),
    gtfs,
    places: files(flags.places, fetched?.places),
    pois: files(flags.pois, fetched?.pois),
    elevation: files(flags.elevation),
    weights: files(flags.weights, fetched?.weights),
    addresses: files(flags.addresses, fetched?.addresses),
    partialWeights: flags.partialWeights ?? false,
    rulesOfR5: flags.rulesOfR5 ?? [],
    notFetched: fetched?.gtfs_left_out ?? [],
    catalogued: new Map(feeds.map(({ file, ...feed }) => [path.join(folder!, file), feed])),
    counties:
      flags.counties === undefined ? (fetched?.counties ?? []) : parseCounties(flags.counties),
    ...own,
  };
}

function parsePercent(text: string | undefined): number | null {
  if (text === undefined) return null;
  const percent = Number(text);
  if (text.trim() !== '' && percent >= 0 && percent <= 100) return percent;
  throw new ArgumentError(`--max-feeds-left-out: "${text}" is not a percentage from 0 to 100`);
}

function parseCounties(text: string): string[] {
  const counties = commaList(text);
  for (const county of counties) {
    if (!COUNTY_FIPS.test(county)) {
      throw new ArgumentError(
        `--counties: "${county}" is not a five-digit county code such as 24510`,
      );
    }
  }
  return counties;
}

function parseDate(text: string): string {
  const time = Date.parse(`${text}T00:00:00Z`);
  const isDate = !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
  if (/^\d{4}-\d{2}-\d{2}$/.test(text) && isDate) return text;
  throw new ArgumentError(`--service-date: "${text}" is not a date such as 2026-03-17`);
}
