/** Pages for people who follow a link in a message: plain HTML, without scripts or loaded content. */
import { createHash } from 'node:crypto'
import { reply, type Reply } from '#http/store/reply.ts'
import { escapeHtml } from '#streams/text.ts'

const style = `
body{font:16px/1.5 system-ui,sans-serif;color:#1b1f24;background:#fff;max-width:40rem;margin:3rem auto;padding:0 1rem}
h1{font-size:1.4rem;line-height:1.3;overflow-wrap:anywhere}
h2{font-size:1.1rem}
li{overflow-wrap:anywhere}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1.5rem}
dt{color:#57606a}
dd{margin:0;overflow-wrap:anywhere}
code{font-size:.9em;overflow-wrap:anywhere}
button{font:inherit;padding:.5rem 1rem;border:1px solid #1b1f24;border-radius:.3rem;background:#1b1f24;color:#fff}
`

const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

/** Prevents caching, indexing, and referrers. */
const headers = {
  'Content-Security-Policy': policy,
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex, nofollow',
}

export const paragraph = (text: string): string => `<p>${escapeHtml(text)}</p>`

/** `body` is HTML. */
export const page = (title: string, body: string, status = 200): Reply<string> =>
  reply(
    `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<h1>${escapeHtml(title)}</h1>
${body}
</body>
</html>
`,
    { status, media: 'text/html', headers },
  )
