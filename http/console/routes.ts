/** The console: its page at every view's address, and the files behind it. It asks the public API alone. */
import { Fault } from '#engine/value/fault.ts'
import { t } from '#engine/value/schema.ts'
import { assets, encodeAsset, encodingOf } from '#http/console/asset.ts'
import { page } from '#http/console/page.ts'
import { route, type Request, type Route } from '#http/edge/route.ts'
import { reply } from '#http/store/reply.ts'

const routeDefaults = { method: 'GET', permission: 'public', hidden: true, reply: t.Unknown() } as const
/** Views have parameters of their own, which the browser reads. */
const anything = t.Object({}, { additionalProperties: true })

type RequestHeaders = Pick<Request<unknown, unknown, unknown>, 'headers'>
const headerOf = ({ headers }: RequestHeaders, name: string): string => [headers[name] ?? ''].flat().join(', ')

const isKnown = ({ headers }: RequestHeaders, etag: string): boolean =>
  headerOf({ headers }, 'if-none-match').includes(etag)

function replyWithPage({ headers }: RequestHeaders, view: string | undefined) {
  const { html, policy, etag } = page(view)
  const said = { 'Content-Security-Policy': policy, ETag: etag, 'Cache-Control': 'no-cache' }
  if (isKnown({ headers }, etag)) return reply('', { status: 304, headers: said })
  return reply(html, { headers: said })
}

/** One that asks for pages first is a browser. */
const wantsPage = (accept: string): boolean => /^\s*text\/html\b/.test(accept)

export const consoleRoutes: readonly Route[] = [
  route({
    ...routeDefaults,
    path: '/',
    summary: 'Redirects browsers to the console',
    query: anything,
    refuses: { 404: ['not_found'] },
    media: 'text/plain',
    handle: async ({ headers, url }) => {
      if (!wantsPage(headerOf({ headers }, 'accept')))
        throw new Fault('missing', 'not_found', 'There is nothing at this path.')
      // Sign-in by an identity provider ends here, with its code.
      return reply('', { status: 303, headers: { Location: `console/${/\?.*$/.exec(url)?.[0] ?? ''}` } })
    },
  }),
  route({
    ...routeDefaults,
    path: '/console{/:view}',
    summary: 'The console',
    params: t.Object({ view: t.Optional(t.String()) }),
    query: anything,
    media: 'text/html; charset=utf-8',
    handle: async ({ headers, url, params: { view } }) => {
      const [path, query = ''] = url.split(/(?=\?)/)
      if (view === undefined && !path!.endsWith('/'))
        return reply('', { status: 308, headers: { Location: `console/${query}` } })
      if (view !== undefined && path!.endsWith('/'))
        return reply('', { status: 308, headers: { Location: `../${encodeURIComponent(view)}${query}` } })
      return replyWithPage({ headers }, view)
    },
  }),
  route({
    ...routeDefaults,
    path: '/console/v/:version/{*file}',
    summary: 'Console file',
    params: t.Object({ version: t.String(), file: t.Optional(t.String()) }),
    media: 'text/javascript',
    handle: async ({ headers, params: { version, file } }) => {
      const { version: present, files } = assets()
      const found = version === present ? files.get(file ?? '') : undefined
      // Of another version: whoever asks has a page from before, and must load it anew.
      if (!found) throw new Fault('missing', 'not_found', 'This version of the console does not contain that file.')
      const encoding = encodingOf(headerOf({ headers }, 'accept-encoding'))
      const etag = encoding === 'identity' ? found.etag : found.etag.replace(/"$/, `-${encoding}"`)
      const said = {
        ETag: etag,
        Vary: 'Accept-Encoding',
        'Cache-Control': 'public, max-age=31536000, immutable',
        ...(encoding !== 'identity' && { 'Content-Encoding': encoding }),
      }
      if (isKnown({ headers }, etag)) return reply('', { status: 304, headers: said })
      return reply(await encodeAsset(found, encoding), { media: found.media, headers: said })
    },
  }),
]
