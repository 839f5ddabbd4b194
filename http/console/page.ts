/** The one page of the console and what it may do: what its own origin serves, and nothing else. */
import { createHash } from 'node:crypto'
import type { PageFiles } from '#http/console/asset.ts'

/**
 * Scripts are files of this origin; text never becomes a script (Trusted Types), styles stand in the sheet, and answers come
 * from this origin alone. Pictures in `data:` are the marks of the style sheet.
 */
export const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

/**
 * The page at the address of a view; that of the overview where there is no such view, which the page says itself. Addresses
 * in it are relative, so that it works with `/api` in front, or below any other path.
 */
export function page({ script, style, icon, views }: PageFiles, view = 'overview'): { html: string; etag: string } {
  const modules = Object.hasOwn(views, view) ? views[view]! : views['overview']!
  // All at once: else each module is asked for when the one that imports it has come.
  const preloads = modules.map((name) => `<link rel="modulepreload" href="./file/${name}">`)
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Tidemark</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${icon}" type="image/svg+xml">
<link rel="stylesheet" href="./file/${style}">
${preloads.join('\n')}
<script type="module" src="./file/${script}"></script>
</head>
<body>
<div id="console"><noscript>The console requires JavaScript. All its data is also available from the API: see /docs.</noscript></div>
</body>
</html>
`
  return { html, etag: `"${createHash('sha256').update(html).digest('base64url')}"` }
}
