/** Access control (decision G-17): the one place that compares a route's declared access with its caller. */
import { Fault } from '#engine/value/fault.ts'
import { closedFault } from './closing.ts'
import { checkWhole, type Access, type Caller } from './caller.ts'
import type { Permission } from './role.ts'

type Permitting = {
  permission: Access
  unscoped?: true
  orgOptional?: true
  alsoInternal?: true
  whileClosed?: true
}

/** @throws Fault `forbidden`, with a code for what is missing */
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

/** For parts of a route with another permission that only owners and admins may use. @throws Fault `forbidden` */
export function checkAdmin({ isAdmin }: Caller): void {
  if (!isAdmin) throw lacking('admin')
}

const lacking = (permission: string): Fault =>
  Fault.forbidden('forbidden', `This requires the permission ${permission}.`)

function checkOrganization({ whileClosed }: Permitting, { orgId, lacksSecondFactor, deletesAt, role }: Caller): void {
  if (orgId === '')
    throw Fault.forbidden(
      'organization_required',
      'Refresh the token with a tenantID, or send the organization in the X-Org-Id header.',
    )
  if (lacksSecondFactor === true)
    throw Fault.forbidden(
      'second_factor_required',
      'This organization requires two-factor authentication. Enable it first.',
    )
  // Owners also get the time, and how to restore it.
  if (deletesAt && !whileClosed) throw closedFault(deletesAt, role === 'owner')
}

/** A directory's token opens only routes for directories, and nothing else opens those. */
function checkDirectory(permission: Access, kind: Caller['kind']): void {
  if (permission === 'scim' && kind !== 'scim')
    throw Fault.forbidden('wrong_scope', 'This requires a SCIM token, which an admin can create.')
  if (permission !== 'scim' && kind === 'scim') throw Fault.forbidden('wrong_scope', 'A SCIM token is only for SCIM.')
}

function checkKind(permission: Access, kind: Caller['kind']): void {
  if (permission === 'internal' && kind !== 'internal') {
    throw Fault.forbidden('forbidden', 'Only internal services may call this.')
  }
  if (permission !== 'internal' && kind === 'internal') {
    throw Fault.forbidden('forbidden', 'A service token is only for internal routes.')
  }
  if (permission === 'session' && kind !== 'session') {
    throw Fault.forbidden('forbidden', 'This requires a signed-in user, not a personal access token.')
  }
}
