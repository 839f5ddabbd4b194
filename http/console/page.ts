/** The one page of the console and what it may do: what its own origin serves, and nothing else. */
import { createHash } from 'node:crypto'
import { assets } from '#http/console/asset.ts'

export interface Page {
  readonly html: string
  readonly policy: string
  readonly etag: string
}

/**
 * Scripts are files of ours and the map that names packages; text never becomes a script (Trusted Types), styles stand in
 * the sheet, and answers come from this origin alone. Pictures in `data:` are the marks of the style sheet.
 */
const policyWith = (mapHash: string): string =>
  [
    "default-src 'none'",
    `script-src 'self' 'sha256-${mapHash}'`,
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')

const pages = new Map<string, Page>()

/**
 * The page at the address of a view; that of the overview where there is no such view, which the page says itself. Addresses
 * in it are relative, so that it works with `/api` in front, or below any other path.
 */
export function page(view = 'overview'): Page {
  const entry = `view/${view}/view.ts`
  if (!assets().files.has(entry)) return page()
  const kept = pages.get(view) ?? make(entry)
  pages.set(view, kept)
  return kept
}

function make(entry: string): Page {
  const { version, imports, shell, behind } = assets()
  // All at once: else each module is asked for when the one that imports it has come.
  const modules = [...new Set([...shell, ...behind(entry)])]
  const at = (place: string) => `./v/${version}/${place}`
  const map = JSON.stringify({
    imports: Object.fromEntries(Object.entries(imports).map(([name, place]) => [name, at(place)])),
  })
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Tidemark</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${at('mark.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${at('lib/uplot.css')}">
<link rel="stylesheet" href="${at('style.css')}">
<script type="importmap">${map}</script>
${modules.map((place) => `<link rel="modulepreload" href="${at(place)}">`).join('\n')}
<script type="module" src="${at('main.ts')}"></script>
</head>
<body>
<div id="console"><noscript>The console requires JavaScript. All its data is also available from the API: see /docs.</noscript></div>
</body>
</html>
`
  return {
    html,
    policy: policyWith(createHash('sha256').update(map).digest('base64')),
    etag: `"${createHash('sha256').update(html).digest('base64url')}"`,
  }
}
