import type { Scope } from '#http/edge/edge.ts'
import type { Authenticator } from '#http/identity/authenticate.ts'
import type { Caller } from '#http/identity/caller.ts'

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

/** Callers by their token; public routes take anyone. `services` is called once a request. */
export const tokenScope = (authenticator: Pick<Authenticator, 'caller'>, services: Scope['services']): Scope => ({
  caller: async ({ headers }, route) => {
    if (route.permission === 'public') return nobody
    const orgId = headers['x-org-id']
    return authenticator.caller(headers.authorization, Array.isArray(orgId) ? orgId.join() : orgId)
  },
  services,
})
