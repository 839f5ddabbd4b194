/** Who may do what (decision G-17): the one place where a route's declared access meets its caller. */
import { Fault } from '#engine/fault.ts'
import { closedFault } from '#http/identity/closing.ts'
import { checkWhole, type Access, type Caller } from '#http/identity/caller.ts'
import type { Permission } from '#http/identity/role.ts'

type Permitting = {
  permission: Access
  unscoped?: true
  orgOptional?: true
  alsoInternal?: true
  whileClosed?: true
}

/** @throws Fault `forbidden`, its code saying what is missing */
export function permit(route: Permitting, caller: Caller): void {
  const { permission } = route
  if (permission === 'public') return
  checkDirectory(permission, caller.kind)
  if (permission === 'scim') return checkOrganization(route, caller)
  const isService = route.alsoInternal === true && caller.kind === 'internal'
  if (!isService) checkKind(permission, caller.kind)
  if (permission === 'internal') return
  if (!route.orgOptional) checkOrganization(route, caller)
  if (isService || permission === 'session' || permission === 'user') return
  if (permission === 'admin') return checkAdmin(caller)
  checkRole(permission, caller, route.unscoped)
}

function checkRole(permission: Permission, caller: Caller, unscoped = false): void {
  if (!caller.permissions.has(permission)) throw lacking(permission)
  if (unscoped) checkWhole(caller)
}

/** What a route with another permission lets owners and admins alone do. @throws Fault `forbidden` */
export function checkAdmin({ isAdmin }: Caller): void {
  if (!isAdmin) throw lacking('admin')
}

const lacking = (permission: string): Fault => Fault.forbidden('forbidden', `This needs the permission ${permission}.`)

function checkOrganization({ whileClosed }: Permitting, { orgId, lacksSecondFactor, deletesAt, role }: Caller): void {
  if (orgId === '')
    throw Fault.forbidden('organization_required', 'Refresh with a tenantID, or name an organization in X-Org-Id.')
  if (lacksSecondFactor === true)
    throw Fault.forbidden('second_factor_required', 'This organization demands a second factor; enable one first.')
  // Owners are told when, and how to take it back.
  if (deletesAt && !whileClosed) throw closedFault(deletesAt, role === 'owner')
}

/** A directory's token opens what is for directories, and nothing else does. */
function checkDirectory(permission: Access, kind: Caller['kind']): void {
  if (permission === 'scim' && kind !== 'scim')
    throw Fault.forbidden('wrong_scope', 'This takes the token of a directory: an admin makes one for SCIM.')
  if (permission !== 'scim' && kind === 'scim')
    throw Fault.forbidden('wrong_scope', 'The token of a directory is for SCIM alone.')
}

function checkKind(permission: Access, kind: Caller['kind']): void {
  if (permission === 'internal' && kind !== 'internal') {
    throw Fault.forbidden('forbidden', 'Only services of our own call this.')
  }
  if (permission !== 'internal' && kind === 'internal') {
    throw Fault.forbidden('forbidden', 'A token of a service is for internal routes alone.')
  }
  if (permission === 'session' && kind !== 'session') {
    throw Fault.forbidden('forbidden', 'This takes a person signed in, not a personal access token.')
  }
}
