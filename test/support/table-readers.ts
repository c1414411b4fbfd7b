import path from 'node:path';
import { pythonTools } from './python-tool.ts';

/**
 * Installs the programs that exported tables are read with, and returns the path of their Python.
 */
export async function tableReaders(): Promise<string> {
  const tools = await pythonTools(
    ...['duckdb==2.0.0', 'polars==2.1.0', 'pyarrow==26.0.1', 'geopandas==1.2.0'],
    ...['pystac==1.15.2', 'jsonschema==4.26.0'],
  );
  return path.join(tools, 'python');
}
