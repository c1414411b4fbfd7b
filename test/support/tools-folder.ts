import { tmpdir } from 'node:os';

/** Returns the folder of what tests install, which stays on the machine for later runs. */
export const toolsFolder = (): string => process.env.TOOLS_FOLDER ?? tmpdir();
