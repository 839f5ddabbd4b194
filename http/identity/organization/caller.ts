import { Fault } from '#engine/value/fault.ts'
import type { Permission, ReportScope, Rights } from './role.ts'

/** The caller, with permissions in the organization they work in. */
export interface Caller extends Rights {
  /** Empty for a session without an organization, and for calls of our own services that name none. */
  readonly orgId: string
  readonly userId: string
  /**
   * A signed-in person, a personal access token, the directory of an organization, one of our own services, or nobody.
   */
  readonly kind: 'session' | 'pat' | 'scim' | 'internal' | 'anonymous'
  /** Id of the credential: `session:<id>`, `pat:<id>`, `scim:<id>`, `svc:<name>`. */
  readonly principal: string
  readonly sessionId?: string
  /** When the token expires; missing: never. */
  readonly expiresAt?: Date
  /** The organization requires a second factor, and the session has not used one. */
  readonly lacksSecondFactor?: boolean
  /** The organization is closed and will be deleted at this time. */
  readonly deletesAt?: Date
}

/**
 * Who may call a route: holders of a permission; owners and admins (`admin`); signed-in people, but no tokens
 * (`session`); both, with any role (`user`); the directory of an organization with its own token (`scim`); our own
 * services (`internal`); anyone, without a token (`public`).
 */
export type Access = Permission | 'admin' | 'session' | 'user' | 'scim' | 'internal' | 'public'

/**
 * The person or machine whose requests are counted over all organizations; a machine has only one. Empty for our own
 * services, directories and nobody.
 */
export const personOf = ({ kind, userId }: Pick<Caller, 'kind' | 'userId'>): string =>
  kind === 'session' || kind === 'pat' ? userId : ''

/**
 * A role that sees only some costs must not change what that part contains, or do anything that affects all costs.
 * @throws Fault `forbidden` `report_scope`
 */
export function checkWhole({ reportScope }: Caller): void {
  if (!reportScope.all)
    throw reportScopeFault('Your role is limited to some accounts or teams. This requires a role that sees all.')
}

/** The fault for what such a role must not do. */
export const reportScopeFault = (message: string): Fault => Fault.forbidden('report_scope', message)

/** Whether the role sees all costs of an account. */
export const seesAccount = ({ all, cloudAccountIDs }: ReportScope, account: string): boolean =>
  all || cloudAccountIDs.includes(account)
