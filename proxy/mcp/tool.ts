import type { z } from 'zod';
import type { ToolCalls } from './tool-calls.ts';

/** Result of a tool: a short text for the reader, its content as data, and links to more of it. */
interface ToolResult<Data> {
  readonly text: string;
  readonly data: Data;
  readonly links?: readonly ToolLink[];
}

/** A resource too large for a conversation, such as a map or a table. */
export interface ToolLink {
  readonly name: string;
  readonly uri: string;
  readonly mimeType: string;
  readonly description?: string;
}

/** The portal, where people see maps; null if the service names none. */
export interface ToolSite {
  readonly accountUrl: string | null;
}

/** A read-only tool. Its schemas validate calls and are listed to clients. */
export interface Tool<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodObject = z.ZodObject,
> {
  readonly name: string;
  readonly description: string;
  readonly input: Input;
  /** Members of the result's data. */
  readonly output: Output;
  /** Whether its results link a place that the embedded map can show. */
  readonly isOnMap?: boolean;
  /** Maximum price of a call in tokens, computed from its input; absent for tools that are free. */
  price?(input: z.output<Input>, calls: ToolCalls): Promise<number>;
  run(
    input: z.output<Input>,
    calls: ToolCalls,
    site: ToolSite,
  ): Promise<ToolResult<z.output<Output>>>;
}

/** Keeps inference at the definition, and returns the type of a table of tools. */
export function tool<Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: Tool<Input, Output>,
): Tool {
  return definition as unknown as Tool;
}
