/** Requests of this process to its own edge: no socket between, and all that holds for others holds for them. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type Koa from 'koa'

export interface Inner {
  method: string
  url: string
  body?: string
}

/** `isRehearsal`: it is read, and who asks is looked at, and nothing is done: 204 where nothing is wrong so far. */
export type Within = (
  ask: Inner,
  from: { ip: string; headers: Readonly<Record<string, string>>; isRehearsal?: boolean },
) => Promise<{ status: number; text: string }>

const rehearsals = new AsyncLocalStorage<boolean>()
/** Whether the request that is being served shall do nothing. No request from outside says so. */
export const isRehearsal = (): boolean => rehearsals.getStore() === true

/** `app` is asked for when the first request comes: the edge it is of holds the route that asks. */
export function within(app: () => Koa): Within {
  let serve: ((req: IncomingMessage, res: ServerResponse) => unknown) | undefined
  return async ({ method, url, body }, { ip, headers, isRehearsal: isOnlyRead = false }) => {
    const { default: inject } = await import('light-my-request')
    serve ??= app().callback()
    const asked = {
      method: method as 'GET',
      url,
      remoteAddress: ip,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { payload: body }),
    }
    // It is sent off once somebody waits for it: within, so that it knows what it is.
    const answer = await rehearsals.run(isOnlyRead, () => inject(serve as never, asked).then((said) => said))
    return { status: answer.statusCode, text: answer.payload }
  }
}
