import { type Command, Option } from 'commander';
import type { z } from 'zod';
import { aboutOf, defaultOf, flagOf } from '../settings/setting.ts';

type Shape = Readonly<Record<string, z.core.$ZodType>>;

/** Variables that libraries read directly, under their usual names. */
export const READ_BY_LIBRARIES: Readonly<Record<string, string>> = {
  'AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_PROFILE, …':
    'credentials for s3://, as for other S3 clients',
  AWS_ENDPOINT_URL_S3: 'an S3-compatible server to use instead of Amazon’s',
};

/** The flag of a setting. An empty value leaves the setting unset. */
export class SettingOption extends Option {}

/**
 * Adds flags for settings to a command, and help for all settings, including those without a flag.
 */
export function addSettings(command: Command, schema: { readonly shape: Shape }): Command {
  const variables: [name: string, description: string][] = [];
  for (const [name, type] of Object.entries(schema.shape)) {
    const flag = flagOf(name, type);
    const { description, value = '<value>' } = aboutOf(type);
    if (flag === null) {
      variables.push([namesOf(name, type), withDefault(description, type)]);
    } else {
      const words = `${withDefault(description, type)} (env: ${namesOf(name, type)})`;
      command.addOption(new SettingOption(`${flag} ${value}`, words));
    }
  }
  if ('STORE' in schema.shape) variables.push(...Object.entries(READ_BY_LIBRARIES));
  if (variables.length === 0) return command;
  const items = variables.map(([names, description]) => `  ${names}\n      ${description}`);
  return command.addHelpText('after', `\nEnvironment only:\n${items.join('\n')}`);
}

/** The environment variables of a setting. A secret may also be given as the path of a file. */
export function namesOf(name: string, type: z.core.$ZodType): string {
  return aboutOf(type).secret ? `${name}, ${name}_FILE` : name;
}

function withDefault(description: string, type: z.core.$ZodType): string {
  const whenUnset = defaultOf(type);
  return whenUnset === null ? description : `${description} (default: ${whenUnset})`;
}
