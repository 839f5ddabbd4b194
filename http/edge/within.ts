/** Requests of this process to its own edge: no socket between, and all that holds for others holds for them. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type Koa from 'koa'

export interface Inner {
  method: string
  url: string
  body?: string
}

export type Within = (
  ask: Inner,
  from: { ip: string; headers: Readonly<Record<string, string>> },
) => Promise<{ status: number; text: string }>

/** `app` is asked for when the first request comes: the edge it is of holds the route that asks. */
export function within(app: () => Koa): Within {
  let serve: ((req: IncomingMessage, res: ServerResponse) => unknown) | undefined
  return async ({ method, url, body }, { ip, headers }) => {
    const { default: inject } = await import('light-my-request')
    const answer = await inject((serve ??= app().callback()) as never, {
      method: method as 'GET',
      url,
      remoteAddress: ip,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { payload: body }),
    })
    return { status: answer.statusCode, text: answer.payload }
  }
}
