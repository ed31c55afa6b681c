/** Starts the viewer. It calls nobody but us: no validator, no CDN. */
export const START = `SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#docs",
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  docExpansion: "none",
  tryItOutEnabled: true,
  requestInterceptor: (request) => {
    // The description asks for a new value each time.
    for (const [name, value] of Object.entries(request.headers)) {
      if (value === "{{$guid}}") request.headers[name] = crypto.randomUUID();
    }
    return request;
  },
  validatorUrl: null,
});
`;

const HTML = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Corredor API</title>
<link rel="icon" type="image/png" href="docs/favicon-32x32.png">
<link rel="stylesheet" href="docs/swagger-ui.css">
<script src="docs/swagger-ui-bundle.js" defer></script>
<script src="docs/start.js" defer></script>
</head>
<body>
<div id="docs"><noscript>The description is at <a href="openapi.json">openapi.json</a>.</noscript></div>
</body>
</html>
`;

/** Whether browsers see HTML. On a project's own domain, Supabase turns it into plain text. */
function showsHtml(baseUrl: string): boolean {
  return !new URL(baseUrl).hostname.endsWith(".supabase.co");
}

/** The page for people, or where to go for it. */
export function pageFor(baseUrl: string): string {
  if (showsHtml(baseUrl)) return HTML;
  return `The API is described by ${baseUrl}/api/v1/openapi.json (OpenAPI 3.1).

On this domain Supabase shows pages as plain text. They are shown
- by any viewer of OpenAPI that you give that address, and
- here, behind a domain of your own (PUBLIC_BASE_URL in the README).
`;
}

/** Only our own files may run, and only the API may be called. */
export function pageHeaders(baseUrl: string): Record<string, string> {
  return {
    "content-type": `text/${showsHtml(baseUrl) ? "html" : "plain"}; charset=utf-8`,
    "content-security-policy": [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data:",
      `connect-src 'self' ${new URL(baseUrl).origin}`,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join("; "),
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  };
}
