/** Documents for programs: the OpenAPI document, the AsyncAPI document, a typed client. */
import { Fault } from '#engine/value/fault.ts'
import { t } from '#engine/value/schema.ts'
import { asyncapi } from './asyncapi.ts'
import { nameOfContent, replyEncoded } from '#http/edge/document/encoding.ts'
import { Document, openapi } from '#http/edge/document/openapi.ts'
import { route, type Route } from '#http/edge/route.ts'
import { tagTexts } from './tag.ts'

/** The OpenAPI document for `all`. */
export const documentOf = (all: readonly Route[], { version, url }: { version: string; url: string }) =>
  openapi(all, {
    title: 'Tidemark',
    version,
    description:
      'Cloud cost and infrastructure management API. Every path may start with /api. Unknown parameters and body members are ' +
      'rejected with 400 invalid_parameter, which suggests the closest known name. Reports return meta next to data: the ' +
      'days and the cost metric of their figures, and how fresh they are.',
    license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    tags: tagTexts,
    url,
  })

const json = 'application/json'
/** Kept, and asked about each time: the next version may change it. */
const caching = 'no-cache'
const routeDefaults = { method: 'GET', permission: 'public', hidden: true } as const

interface Printed {
  name: string
  plain: Buffer
}

/** `print` is called once for each key. */
function printedOnce(print: (key: string, url: string) => string): (key: string, url: string) => Printed {
  const kept = new Map<string, Printed>()
  return (key, url) => {
    const known = kept.get(`${url} ${key}`)
    if (known) return known
    const plain = Buffer.from(print(key, url))
    const printed = { name: nameOfContent(plain), plain }
    kept.set(`${url} ${key}`, printed)
    return printed
  }
}

export function documents(all: readonly Route[], version: string): readonly Route[] {
  const rest = printedOnce((tag, url) => JSON.stringify(documentOf(ofTag(all, tag), { version, url })))
  const events = printedOnce(() => JSON.stringify(asyncapi({ title: 'Tidemark', version })))
  return [
    route({
      ...routeDefaults,
      path: '/openapi.json',
      summary: 'Get this document, or the part of one tag',
      query: t.Object({
        tag: t.Optional(t.String({ maxLength: 128, description: 'only the operations with this tag' })),
      }),
      bare: true,
      reply: Document,
      refuses: { 404: ['not_found'] },
      handle: async ({ headers, query: { tag = '' } }, { settings }) => {
        if (tag !== '' && ofTag(all, tag).length === 0)
          throw new Fault('missing', 'not_found', `No operation has the tag ${tag}.`)
        return replyEncoded(headers, { ...rest(tag, settings.publicUrl), media: json, caching })
      },
    }),
    route({
      ...routeDefaults,
      path: '/asyncapi.json',
      summary: 'Get the AsyncAPI document of the messages on NATS',
      bare: true,
      reply: t.Object({ asyncapi: t.String() }, { additionalProperties: true }),
      handle: async ({ headers }) => replyEncoded(headers, { ...events('', ''), media: json, caching }),
    }),
    route({
      ...routeDefaults,
      path: '/client.ts',
      summary: 'Get a typed client for this API: one TypeScript file without dependencies',
      media: 'text/plain; charset=utf-8',
      reply: t.String(),
      handle: async () => {
        const { clientOf } = await import('#http/client/print.ts')
        return clientOf(documentOf(all, { version, url: '' }) as never)
      },
    }),
  ]
}

const ofTag = (all: readonly Route[], tag: string): readonly Route[] =>
  tag === '' ? all : all.filter((one) => !one.hidden && one.tags?.includes(tag))
