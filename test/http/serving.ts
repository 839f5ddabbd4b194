import { expect } from 'chai'
import { edge, type EdgeOptions, type RequestScope } from '#http/edge/edge.ts'
import { systemRights, type SystemRole } from '#http/identity/organization/role.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import type { Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { serve, type Serving } from '#http/edge/serve.ts'
import { watchCodes } from '#test/harness/declared-code.ts'

export const caller = (role: SystemRole = 'owner'): Caller => ({
  ...systemRights(role),
  orgId: 'o1',
  userId: 'ana',
  kind: 'pat',
  principal: 'pat:t1',
})

/** A scope without stores: every caller is `who`, and the services are what the test gives. */
export const scopeOf = (services: Partial<Services> = {}, who: Caller = caller()): RequestScope => ({
  caller: async () => who,
  services: () => services as Services,
})

export interface Site {
  readonly url: string
  get(path: string, headers?: Record<string, string>): Promise<Response>
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>
}

/** Serves `routes` on a free port while the surrounding suite runs. Payloads are held to what their routes declare. */
export function served(routes: readonly Route[], scope: RequestScope = scopeOf(), options: EdgeOptions = {}): Site {
  let serving: Serving | undefined
  before(async () => {
    const app = edge(routes, scope, { verifyReplies: true, ...options })
    watchCodes(app, routes)
    serving = await serve(app, { port: 0, host: '127.0.0.1' })
  })
  after(async () => serving?.close())
  const url = (path: string) => `${serving?.url}${path}`
  return {
    get url() {
      return url('')
    },
    get: (path, headers = {}) => fetch(url(path), { headers, redirect: 'manual' }),
    send: (method, path, body, headers = {}) =>
      fetch(url(path), {
        method,
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
  }
}

/** The members of a problem document. */
export async function problem(response: Response): Promise<Record<string, any>> {
  expect(response.headers.get('content-type')).to.equal('application/problem+json')
  return (await response.json()) as Record<string, any>
}
