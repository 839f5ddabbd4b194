import type { Scope } from '#http/edge/edge.ts'
import type { Request } from '#http/edge/route.ts'
import type { Authenticator } from '#http/identity/session/authenticate.ts'
import type { TokenScope } from '#http/identity/entity.ts'
import type { Caller } from '#http/identity/organization/caller.ts'

/** Who calls a public route: nobody we know, with no organization and no rights. */
export const nobody: Caller = {
  orgId: '',
  userId: '',
  kind: 'anonymous',
  role: '',
  isAdmin: false,
  permissions: new Set(),
  reportScope: { all: false, cloudAccountIDs: [], teamIDs: [] },
  principal: 'anonymous',
}

type Asked = Pick<Authenticator, 'caller'>

/** Who calls, by the headers of a request. @throws Fault `unauthenticated` or `forbidden` */
export function callerBy(
  authenticator: Asked,
  headers: Request<never, never, never>['headers'],
  scope: TokenScope = 'api',
): Promise<Caller> {
  const [token, orgId] = [headers['authorization'], headers['x-org-id']].map((value) =>
    Array.isArray(value) ? value.join() : value,
  )
  return authenticator.caller(token, orgId, scope)
}

/** Callers by their token; public routes take anyone. `services` is called once a request. */
export const tokenScope = (authenticator: Asked, services: Scope['services']): Scope => ({
  caller: async ({ headers }, route) => {
    if (route.permission === 'public') return nobody
    return callerBy(authenticator, headers, route.permission === 'scim' ? 'scim' : 'api')
  },
  services,
})
