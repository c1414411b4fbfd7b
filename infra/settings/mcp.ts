import { z } from 'zod';
import { portalConfigSchema } from '../../portal/config.ts';
import { webUrl } from '../../proxy/http/web-url.ts';
import { setting } from './setting.ts';

/** Settings of `tta mcp`. */
export const mcpSchema = z.object({
  API_URL: setting(webUrl('https://api.example.org').prefault('http://127.0.0.1:8080'), {
    description: 'URL of the API',
    flag: '--api',
    value: '<url>',
  }),
  ACCOUNT_URL: setting(portalConfigSchema.shape.accountUrl.unwrap().optional(), {
    description: 'public URL of the portal, for links to its map',
    value: '<url>',
    whenUnset: 'results have no links',
  }),
  API_KEY: setting(z.string().min(1).optional(), {
    description: 'API key; without one, only the free tools work',
    secret: true,
  }),
});
