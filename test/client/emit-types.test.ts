import { expect, test } from 'vitest';
import { emitTypes, type OpenApiDocument } from '../../portal/client/emit-types.ts';
import { proxyOfTests } from '../support/proxy-harness.ts';

const proxy = proxyOfTests();

/** With `-u` the file is written anew. */
test("the client's types are those of the served document", async () => {
  const document: OpenApiDocument = (await proxy.get('/openapi.json')).json();
  await expect(emitTypes(document)).toMatchFileSnapshot('../../portal/client/src/api-types.ts');
});
