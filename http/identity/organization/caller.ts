import { Fault } from '#engine/value/fault.ts'
import type { Permission, ReportScope, Rights } from './role.ts'

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

/** Who is counted over all organizations: a person, or a machine, which has one. Empty for our own services, directories and nobody. */
export const personOf = ({ kind, userId }: Pick<Caller, 'kind' | 'userId'>): string =>
  kind === 'session' || kind === 'pat' ? userId : ''

/**
 * A role that sees a part of the costs may not change what that part contains, nor do what concerns all of them.
 * @throws Fault `forbidden` `report_scope`
 */
export function checkWhole({ reportScope }: Caller): void {
  if (!reportScope.all)
    throw reportScopeFault('Your role is limited to some accounts or teams. This requires a role that sees all.')
}

/** What a role that sees a part of the costs may not do. */
export const reportScopeFault = (message: string): Fault => Fault.forbidden('report_scope', message)

/** Whether all costs of an account are seen. */
export const seesAccount = ({ all, cloudAccountIDs }: ReportScope, account: string): boolean =>
  all || cloudAccountIDs.includes(account)
