/** The reference page: swagger-ui, served from its package. It loads nothing from other hosts. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { t } from '#engine/value/schema.ts'
import { reply } from '#http/store/reply.ts'
import { route, type Route } from '#http/edge/route.ts'

const packageRequire = createRequire(import.meta.url)

/** Pages may only load what we serve, and images embedded in the style sheet. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Paths are relative to `/docs`, so that the page also works under `/api`. */
const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Tidemark API</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="docs/swagger-ui.css">
<link rel="icon" type="image/png" href="docs/favicon-32x32.png">
</head>
<body>
<div id="reference"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
`

const start = `window.ui = SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  validatorUrl: null,
  presets: [SwaggerUIBundle.presets.apis],
})
`

const files: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css',
  'swagger-ui-bundle.js': 'text/javascript',
  'favicon-32x32.png': 'image/png',
}

const routeBase = { method: 'GET', permission: 'public', hidden: true, reply: t.Unknown() } as const

export const docs: readonly Route[] = [
  route({
    ...routeBase,
    path: '/docs',
    summary: 'Get the API reference page',
    media: 'text/html',
    handle: async ({ url }) =>
      url.split('?')[0]!.endsWith('/')
        ? reply('', { status: 308, headers: { Location: '../docs' } })
        : reply(page, { headers: { 'Content-Security-Policy': policy } }),
  }),
  route({
    ...routeBase,
    path: '/docs/start.js',
    summary: 'Get the start script of the API reference page',
    media: 'text/javascript',
    handle: async () => start,
  }),
  ...Object.entries(files).map(([name, media]) =>
    route({
      ...routeBase,
      path: `/docs/${name}`,
      summary: `Get a file of the API reference page: ${name}`,
      media,
      handle: async () =>
        reply(readFileSync(packageRequire.resolve(`swagger-ui-dist/${name}`)), {
          headers: { 'Cache-Control': 'public, max-age=3600' },
        }),
    }),
  ),
]
