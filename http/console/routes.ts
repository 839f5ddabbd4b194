/** The console: its page at every view's address, and the files that it loads. It asks the public API alone. */
import path from 'node:path'
import { Fault } from '#engine/value/fault.ts'
import { t } from '#engine/value/schema.ts'
import type { ConsoleFiles, PageFiles } from '#http/console/asset.ts'
import { replyEncoded } from '#http/edge/document/encoding.ts'
import { page, policy } from '#http/console/page.ts'
import { route, type Request, type Route } from '#http/edge/route.ts'
import { reply } from '#http/store/reply.ts'

const routeDefaults = { method: 'GET', permission: 'public', hidden: true, reply: t.Unknown() } as const
/** Views have parameters of their own, which the browser reads. */
const anything = t.Object({}, { additionalProperties: true })

type RequestHeaders = Pick<Request<unknown, unknown, unknown>, 'headers'>
const headerOf = ({ headers }: RequestHeaders, name: string): string => [headers[name] ?? ''].flat().join(', ')

const isKnown = ({ headers }: RequestHeaders, etag: string): boolean =>
  headerOf({ headers }, 'if-none-match').includes(etag)

function replyWithPage({ headers }: RequestHeaders, files: PageFiles, view: string | undefined) {
  const { html, etag } = page(files, view)
  const said = { 'Content-Security-Policy': policy, ETag: etag, 'Cache-Control': 'no-cache' }
  if (isKnown({ headers }, etag)) return reply('', { status: 304, headers: said })
  return reply(html, { headers: said })
}

/** One that asks for pages first is a browser. */
const wantsPage = (accept: string): boolean => /^\s*text\/html\b/.test(accept)

const mediaOf: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
}

/** @param bundled the files, which may still be in the making when the first page is requested */
export const consoleRoutes = (bundled: () => Promise<ConsoleFiles>): readonly Route[] => [
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
      return replyWithPage({ headers }, (await bundled()).page, view)
    },
  }),
  route({
    ...routeDefaults,
    path: '/console/file/:name',
    summary: 'Console file',
    params: t.Object({ name: t.String() }),
    media: 'text/javascript',
    handle: async ({ headers, params: { name } }) => {
      const found = (await bundled()).files.get(name)
      // Of another version: the page is from before, and loads again.
      if (!found) throw new Fault('missing', 'not_found', 'This version of the console does not contain that file.')
      return replyEncoded(headers, {
        name,
        plain: found,
        media: mediaOf[path.extname(name)]!,
        caching: 'public, max-age=31536000, immutable',
      })
    },
  }),
]
