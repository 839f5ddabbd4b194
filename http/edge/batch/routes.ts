/** Many answers with one request: each part is a request of its own to this edge, as the caller of the whole. */
import { Readable } from 'node:stream'
import Router from '@koa/router'
import { Fault } from '#engine/value/fault.ts'
import { t } from '#engine/value/schema.ts'
import { staticFirst } from '#http/edge/edge.ts'
import { sameCaller, type InnerAnswer, type Within } from '#http/edge/inner-request.ts'
import { problemOf } from '#http/edge/problem.ts'
import { route, type Route } from '#http/edge/route.ts'
import { reply } from '#http/store/reply.ts'
import { runInTurn } from './turn.ts'

const partsMax = 40
/** As many as a browser asks at once: one page does not take the stores from others. */
const atOnce = 6
const media = 'application/x-ndjson'

/** Headers of a part's response that are passed on; the others are the same for all. */
const passedHeaders = ['x-total-count', 'retry-after'] as const

const Body = t.Object(
  {
    paths: t.Array(
      t.String({ minLength: 1, maxLength: 8192, description: 'path with its query, as a GET request has it' }),
      { minItems: 1, maxItems: partsMax },
    ),
  },
  {
    title: 'Batch',
    examples: [{ paths: ['/budgets/summary', '/reports/summary?from=2026-01-01&to=2026-01-31'] }],
  },
)

const Parts = t.String({
  description:
    'One line of JSON per part, in the order in which they are ready: index (of its path), status, headers (X-Total-Count and Retry-After, if there are any) and body, which is the response or the problem that the path alone would get.',
})

/** What may be a part: a response of JSON, of a caller with a token, that ends. */
const isPart = ({ method, permission, media: file, secret, hidden }: Route): boolean =>
  method === 'GET' && !file && !secret && !hidden && !['public', 'internal', 'scim'].includes(permission)

/** @param routes all that are served; `within` sends requests to this edge as the caller */
export function batches(routes: readonly Route[], within: Within): readonly Route[] {
  let finder: ((path: string) => Route | undefined) | undefined
  const find = (path: string) => (finder ??= finderOf(routes))(path)
  return [
    route({
      method: 'POST',
      path: '/batch',
      summary: 'Get the responses of several GET requests at once',
      description:
        `Up to ${partsMax} paths, of which ${atOnce} are answered at a time. Each counts as a request of its own: same permissions, report scope, errors and rate limit; one that fails does not affect the others. ` +
        'Files, streams, secrets and public paths get not_batchable.',
      permission: 'user',
      readOnly: true,
      tags: ['Batches'],
      body: Body,
      media,
      reply: Parts,
      example: '{"index":0,"status":200,"headers":{},"body":{"data":[]}}\n',
      handle: async ({ body: { paths }, client, headers }) => {
        const as = sameCaller({ client, headers })
        const answer = async (path: string, index: number): Promise<string> => {
          const url = addressOf(path)
          const found = url && find(url.pathname.replace(/^\/api(?=\/)/, ''))
          if (!url || !found) return lineOf(index, refusal(path, client.requestId))
          return lineOf(index, await within({ method: 'GET', url: `${url.pathname}${url.search}` }, as))
        }
        return reply(Readable.from(runInTurn(paths, atOnce, answer)) as never, { media })
      },
    }),
  ]
}

const origin = 'http://edge'

/** Undefined for what leads to another host: paths that begin with two slashes do. */
function addressOf(path: string): URL | undefined {
  const url = path.startsWith('/') && URL.canParse(path, origin) ? new URL(path, origin) : undefined
  return url?.origin === origin ? url : undefined
}

/** The route of a path as the edge finds it; undefined unless it may be a part. */
function finderOf(routes: readonly Route[]): (path: string) => Route | undefined {
  const router = new Router({ sensitive: true })
  const byLayer = new Map<unknown, Route>()
  for (const one of routes.filter(({ method }) => method === 'GET').toSorted(staticFirst))
    byLayer.set(
      router.register(one.path, ['GET'], async () => undefined),
      one,
    )
  return (path) => {
    const [first] = router.match(path, 'GET').pathAndMethod
    const found = byLayer.get(first)
    return found && isPart(found) ? found : undefined
  }
}

function refusal(path: string, requestId: string): InnerAnswer {
  const fault = Fault.invalid(
    'not_batchable',
    'Only paths of GET requests with a JSON response can be part of a batch; they start with a slash.',
  )
  const { status, body, headers } = problemOf(fault, path, requestId)
  return { status, text: JSON.stringify(body), headers }
}

function lineOf(index: number, { status, text, headers }: InnerAnswer): string {
  const passed = passedHeaders.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]]))
  const head = JSON.stringify({ index, status, headers: Object.fromEntries(passed) as object })
  // The response is JSON already.
  return `${head.slice(0, -1)},"body":${text === '' ? 'null' : text}}\n`
}
