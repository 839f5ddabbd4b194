/** Which policies a role may create, change and delete, beyond the permission of the route. */
import type { PolicyDomain } from '#actors/capability.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { checkAdmin } from '#http/identity/organization/permit.ts'

/** The text in the routes' descriptions. */
export const adminText =
  'Only owners and admins can create, change and delete policies that control what workflows may do in clouds (domains guardrail and workflow).'

/** @throws Fault `forbidden` */
export function checkReach(caller: Caller, { adminOnly }: PolicyDomain): void {
  if (adminOnly) checkAdmin(caller)
}
