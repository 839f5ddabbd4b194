/** Whose policies a role may make, change and delete, beyond the permission of the route. */
import type { PolicyDomain } from '#actors/capability.ts'
import { checkWhole, type Caller } from '#http/identity/caller.ts'
import { checkAdmin } from '#http/identity/permit.ts'

/** As the documents of the routes say it. */
export const adminText =
  'Policies that say what workflows may do to clouds (domains guardrail and workflow) are made, changed and deleted by owners and admins alone.'

/**
 * A rule about whose costs are would show a role that sees some of them those of others, moved to its own teams.
 * @throws Fault `forbidden`
 */
export function checkReach(caller: Caller, { movesCosts, adminOnly }: PolicyDomain): void {
  if (adminOnly) checkAdmin(caller)
  if (movesCosts) checkWhole(caller)
}
