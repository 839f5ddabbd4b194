import { Fault } from '#engine/fault.ts'
import type { Permission, Rights } from '#http/identity/role.ts'

/** Who calls, and what they may do in the organization they work in. */
export interface Caller extends Rights {
  /** Empty while a session has no organization, and for calls of our own services that name none. */
  readonly orgId: string
  readonly userId: string
  /** A person signed in, a personal access token, the directory of an organization, one of our own services, or nobody. */
  readonly kind: 'session' | 'pat' | 'scim' | 'internal' | 'anonymous'
  /** What called: `session:<id>`, `pat:<id>`, `scim:<id>`, `svc:<name>`. */
  readonly principal: string
  readonly sessionId?: string
  /** When the token is over; left out: never. */
  readonly expiresAt?: Date
  /** The organization demands a second factor, and the session has shown none. */
  readonly lacksSecondFactor?: boolean
  /** The organization is closed, and will be deleted then. */
  readonly deletesAt?: Date
}

/**
 * Who may call a route: holders of a permission; owners and admins (`admin`); people signed in, but no token (`session`);
 * both of them, whatever their role (`user`); the directory of an organization by its own token (`scim`); our own services
 * (`internal`); anyone without a token (`public`).
 */
export type Access = Permission | 'admin' | 'session' | 'user' | 'scim' | 'internal' | 'public'

/** What is done for all resources is not for roles that see some of them. @throws Fault `forbidden` `report_scope` */
export function checkWhole({ reportScope }: Caller): void {
  if (!reportScope.all)
    throw Fault.forbidden('report_scope', 'Your role sees some accounts or teams alone; this is for all of them.')
}
