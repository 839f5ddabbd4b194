/** Documents for programs: the OpenAPI document, the AsyncAPI document, a typed client. */
import { Fault } from '#engine/value/fault.ts'
import { t } from '#engine/value/schema.ts'
import { asyncapi } from './asyncapi.ts'
import { nameOfContent, replyEncoded } from '#http/edge/document/encoding.ts'
import { Document, openapi } from '#http/edge/document/openapi.ts'
import { route, type Route } from '#http/edge/route.ts'
import { NotificationEvent } from '#streams/notification/messages.ts'
import type { Keywords } from '#http/edge/request/keywords.ts'
import { tagTexts } from './tag.ts'

/** What is posted is of the schema that deliveries show as `event`. */
const eventTitle = (NotificationEvent as Keywords).title!

/** The OpenAPI document for `all`, and what we post to others. */
export const documentOf = (all: readonly Route[], { version, url }: { version: string; url: string }) => {
  const document = operationsOf(all, { version, url })
  const { schemas } = document.components as { schemas: object }
  const isNotifying = Object.hasOwn(schemas, eventTitle)
  return isNotifying ? { ...document, webhooks } : document
}

const headers = {
  'X-Tidemark-Event': 'the type of the event, or test',
  'X-Tidemark-Delivery': 'the ID of the delivery, the same on every attempt',
  'X-Tidemark-Timestamp': 'seconds since 1970, of this attempt',
  'X-Tidemark-Signature':
    'v1=<hex HMAC-SHA256 of "<X-Tidemark-Timestamp>.<body>">, by the signing secret of the channel',
}

/** What a channel of type generic_webhook posts. */
const webhooks = {
  notification: {
    post: {
      operationId: 'webhook_notification',
      summary: 'A notification, posted to a channel of type generic_webhook',
      description:
        'Check the signature before you use it. A post can come twice, under the same ID. Any 2xx within ten seconds counts as delivered; 408, 429 and 5xx are tried again, all others are not.',
      tags: ['Notifications'],
      security: [],
      parameters: Object.entries(headers).map(([name, description]) => ({
        name,
        in: 'header',
        required: true,
        description,
        schema: { type: 'string' },
      })),
      requestBody: {
        required: true,
        content: { 'application/json': { schema: { $ref: `#/components/schemas/${eventTitle}` } } },
      },
      responses: { '2XX': { description: 'Delivered' }, '4XX': { description: 'Not delivered' } },
    },
  },
}

const operationsOf = (all: readonly Route[], { version, url }: { version: string; url: string }) =>
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
