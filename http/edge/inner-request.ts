/** Requests of this process to its own edge: without a socket, with all the checks that apply to others. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type Koa from 'koa'
import type { Request } from '#http/edge/route.ts'

export interface Inner {
  method: string
  url: string
  body?: string
}

export interface InnerOptions {
  ip: string
  headers: Readonly<Record<string, string>>
  /** The request is validated and its caller checked, but nothing is executed: 204 if there is no error so far. */
  isRehearsal?: boolean
  /** Part of a request that was counted already: it does not count against the rate limits again. */
  isCounted?: boolean
}

export interface InnerAnswer {
  status: number
  text: string
  headers: Readonly<Record<string, unknown>>
}

export type Within = (ask: Inner, from: InnerOptions) => Promise<InnerAnswer>

/** Headers of a request that its inner requests have too: they have only the rights of its caller. */
const forwardedHeaders = ['authorization', 'x-org-id', 'user-agent', 'accept-language'] as const

/** What makes an inner request one of the same caller, from the same address, under the same request ID. */
export function sameCaller({
  client,
  headers,
}: Pick<Request<unknown, unknown, unknown>, 'client' | 'headers'>): InnerOptions {
  const own = forwardedHeaders.flatMap((name) => {
    const value = headers[name]
    return typeof value === 'string' ? [[name, value] as const] : []
  })
  return { ip: client.ip, headers: { ...Object.fromEntries(own), 'x-request-id': client.requestId } }
}

type Marks = Required<Pick<InnerOptions, 'isRehearsal' | 'isCounted'>>
const marks = new AsyncLocalStorage<Marks>()
/** Whether the current request must not execute anything. Requests from outside cannot set this. */
export const isRehearsal = (): boolean => marks.getStore()?.isRehearsal === true
/** Whether the current request was counted against the rate limits already. Requests from outside cannot set this. */
export const isCounted = (): boolean => marks.getStore()?.isCounted === true

/** `app` is called at the first request, because the edge contains the route that uses it. */
export function within(app: () => Koa): Within {
  let serve: ((req: IncomingMessage, res: ServerResponse) => unknown) | undefined
  return async ({ method, url, body }, { ip, headers, isRehearsal: isOnlyRead = false, isCounted: isPart = false }) => {
    const { default: inject } = await import('light-my-request')
    serve ??= app().callback()
    const asked = {
      method: method as 'GET',
      url,
      remoteAddress: ip,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { payload: body }),
    }
    // The request is sent when its result is awaited: inside this context, so that its marks are known.
    const answer = await marks.run({ isRehearsal: isOnlyRead, isCounted: isPart }, () =>
      inject(serve as never, asked).then((said) => said),
    )
    return { status: answer.statusCode, text: answer.payload, headers: answer.headers }
  }
}
