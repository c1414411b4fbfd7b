/** The page of the API reference. Its addresses are relative, so that it works behind a path too. */
export function referencePage(scriptFileName: string): string {
  const configuration = JSON.stringify(CONFIGURATION).replaceAll('"', '&quot;');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Travel-Time Access Service: API reference</title>
<link rel="icon" href="favicon.ico" type="image/svg+xml">
</head>
<body>
<noscript>This page needs JavaScript. All it says is in <a href="openapi.json">openapi.json</a>.</noscript>
<script id="api-reference" data-configuration="${configuration}" src="docs/${scriptFileName}"></script>
</body>
</html>
`;
}

/** Of what the reference can do: what it can do here, and without asking others. */
const CONFIGURATION = {
  url: 'openapi.json',
  theme: 'default',
  layout: 'modern',
  withDefaultFonts: false,
  telemetry: false,
  showDeveloperTools: 'never',
  hideClientButton: true,
  agent: { disabled: true },
  mcp: { disabled: true },
  documentDownloadType: 'direct',
  authentication: { preferredSecurityScheme: 'apiKey' },
  // A key typed into the page is forgotten with it.
  persistAuth: false,
} as const;

/**
 * What the browser lets the page do: run our script, read from this service, nothing else. The
 * reference writes styles into the page as it draws.
 */
export function pageHeaders(baseUrl: string): Readonly<Record<string, string>> {
  return {
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self' 'unsafe-inline'",
      "img-src 'self' data:",
      `connect-src 'self' ${new URL(baseUrl).origin}`,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  };
}
