import type { Scope } from '#http/edge.ts'
import type { Authenticate } from '#http/identity/pat.ts'
import type { Caller, Services } from '#http/route.ts'

/** Who calls a public route: nobody we know, with no organization and no rights. */
const nobody: Caller = { orgId: '', userId: '', role: 'viewer', permissions: new Set(), principal: 'anonymous' }

/** Callers by their token; public routes take anyone. `services` is called once a request. */
export const tokenScope =
  (authenticate: Authenticate, services: () => Services): Scope =>
  async (ctx, route) => {
    if (route.permission === 'public') return { caller: nobody, services: services() }
    const caller = await authenticate(ctx.headers.authorization, ctx.get('X-Org-Id'))
    return { caller, services: services() }
  }
