/** The caller and the services of a request, by its token. */
import type { RequestScope } from '#http/edge/edge.ts'
import type { Request } from '#http/edge/route.ts'
import type { Authenticator } from '#http/identity/session/authenticate.ts'
import type { TokenScope } from '#http/identity/entity.ts'
import type { Caller } from '#http/identity/organization/caller.ts'

/** The caller of a public route: unknown, without an organization or permissions. */
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

type CallerSource = Pick<Authenticator, 'caller'>

/** The caller, by the headers of a request. @throws Fault `unauthenticated` or `forbidden` */
export function callerBy(
  authenticator: CallerSource,
  headers: Request<never, never, never>['headers'],
  scope: TokenScope = 'api',
): Promise<Caller> {
  const [token, orgId] = [headers['authorization'], headers['x-org-id']].map((value) =>
    Array.isArray(value) ? value.join() : value,
  )
  return authenticator.caller(token, orgId, scope)
}

/** Identifies callers by their token; public routes accept anyone. `services` is called once per request. */
export const tokenScope = (authenticator: CallerSource, services: RequestScope['services']): RequestScope => ({
  caller: async ({ headers }, route) => {
    if (route.permission === 'public') return nobody
    return callerBy(authenticator, headers, route.permission === 'scim' ? 'scim' : 'api')
  },
  services,
})
