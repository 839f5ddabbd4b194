/** Requests of this process to its own edge: without a socket, with all the checks that apply to others. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type Koa from 'koa'

export interface Inner {
  method: string
  url: string
  body?: string
}

/**
 * `isRehearsal`: the request is validated and its caller checked, but nothing is executed: 204 if there is no error so
 * far.
 */
export type Within = (
  ask: Inner,
  from: { ip: string; headers: Readonly<Record<string, string>>; isRehearsal?: boolean },
) => Promise<{ status: number; text: string }>

const rehearsals = new AsyncLocalStorage<boolean>()
/** Whether the current request must not execute anything. Requests from outside cannot set this. */
export const isRehearsal = (): boolean => rehearsals.getStore() === true

/** `app` is called at the first request, because the edge contains the route that uses it. */
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
    // The request is sent when its result is awaited: inside this context, so that it is known as a rehearsal.
    const answer = await rehearsals.run(isOnlyRead, () => inject(serve as never, asked).then((said) => said))
    return { status: answer.statusCode, text: answer.payload }
  }
}
