/**
 * Identifies the caller of a request. A token's signature is checked once and remembered until the token expires. Its
 * session, role and organization are looked up and cached for five seconds, or until a change is announced.
 */
import jwt from 'jsonwebtoken'
import { Fault } from '#engine/value/fault.ts'
import { invalidToken, decodeToken, type AccessTokens, type VerifiedClaims } from '#http/identity/token/access-token.ts'
import { checkAnalyst } from '#http/identity/token/analyst-view.ts'
import { closedFault } from '#http/identity/organization/closing.ts'
import type { TokenScope } from '#http/identity/entity.ts'
import type { Grants, StoredGrant } from '#http/identity/token/grant.ts'
import type { Rights } from '#http/identity/organization/role.ts'
import { hashOf } from '#http/identity/token/secret.ts'
import { notAMember } from './session.ts'
import { isUuid } from '#engine/value/id.ts'
import { tokenShape } from '#http/identity/token/pat.ts'
import type { IdentityChange } from '#http/identity/tools.ts'
import type { Caller } from '#http/identity/organization/caller.ts'

const keptMs = 5_000
const keptMax = 10_000

/** A map of limited size that drops the oldest entry. */
class BoundedMap<V> {
  readonly entries = new Map<string, V>()

  get(key: string): V | undefined {
    return this.entries.get(key)
  }

  set(key: string, value: V): void {
    this.entries.delete(key)
    this.entries.set(key, value)
    if (this.entries.size > keptMax) this.entries.delete(this.entries.keys().next().value!)
  }
}

export class Authenticator {
  private readonly grants: Grants
  private readonly tokens: AccessTokens
  private readonly internalSecrets: () => readonly string[]
  private readonly now: () => Date
  private readonly verified = new BoundedMap<VerifiedClaims>()
  private readonly looked = new BoundedMap<{
    until: number
    found: Promise<(StoredGrant & { expiresAt?: Date | null }) | null>
  }>()

  constructor(grants: Grants, tokens: AccessTokens, internalSecrets: () => readonly string[], now: () => Date) {
    this.grants = grants
    this.tokens = tokens
    this.internalSecrets = internalSecrets
    this.now = now
  }

  /** The caller by the headers `Authorization` and `X-Org-Id`. Without an organization, `orgId` is empty. */
  async caller(authorization: string | undefined, orgHeader = '', scope: TokenScope = 'api'): Promise<Caller> {
    const token = bearer(authorization)
    if (token.startsWith('svc_pat_')) return this.byPat(token, orgHeader, scope)
    const hash = hashOf(token)
    if (!this.verified.get(hash) && isInternal(token)) return this.internal(token)
    return this.bySession(await this.claims(token, hash), orgHeader)
  }

  /**
   * The user of an analyst token in ClickHouse, with what their permissions open in the whole organization.
   * @throws Fault `unauthenticated`; `forbidden` `wrong_scope` for an API token, `report_scope` for a role that sees
   * only a part, `nothing_to_read` if the permissions open no view
   */
  async analyst(token: string): Promise<Caller> {
    const caller = await this.byPat(token, '', 'analyst')
    checkAnalyst(caller)
    return caller
  }

  /** Drops cached entries that a change has made obsolete. */
  forget(changed: IdentityChange): void {
    for (const [key, { found }] of this.looked.entries) {
      void found.then(
        (looked) => (!looked || isAbout(looked, changed)) && this.looked.entries.delete(key),
        () => this.looked.entries.delete(key),
      )
    }
  }

  private async byPat(token: string, orgHeader: string, scope: TokenScope): Promise<Caller> {
    if (!tokenShape.test(token)) throw invalidToken()
    const hash = hashOf(token)
    const found = await this.look(hash, () => this.grants.token(hash, this.now()))
    checkAlive(found, this.now())
    if ((found.scope ?? 'api') !== scope) throw wrongScope(scope)
    const kind = scope === 'scim' ? 'scim' : 'pat'
    const principal = `${kind}:${found.tokenId}`
    if (orgHeader !== '' && orgHeader !== found.orgId) throw notAMember({ ...found, principal })
    return callerOf(found, rightsBy(kind, found.rights), kind, principal)
  }

  private async claims(token: string, hash: string): Promise<VerifiedClaims> {
    const kept = this.verified.get(hash)
    const claims = kept ?? (await this.tokens.verify(token))
    const isOver = claims.exp * 1000 <= this.now().getTime()
    // A revoked key invalidates what it has signed.
    if (isOver || (kept && !(await this.tokens.isKept(kept)))) throw invalidToken()
    if (!kept) this.verified.set(hash, claims)
    return claims
  }

  private async bySession(claims: VerifiedClaims, orgHeader: string): Promise<Caller> {
    const own = claims['tenant-id'] || claims.org_id || ''
    const orgId = orgHeader || own
    const principal = `session:${claims.sid}`
    const refused = { orgId: own, userId: claims.sub, principal }
    // Anything else is not an id of an organization, and needs no look-up.
    if (orgHeader !== '' && !isUuid(orgHeader)) throw notAMember(refused)
    const found = await this.look(`${claims.sid}\n${claims.sub}\n${orgId}`, () =>
      this.grants.session(claims.sid, claims.sub, orgId, orgHeader !== ''),
    )
    if (!found) throw invalidToken()
    if (orgId !== '' && !found.rights) throw notAMember(refused)
    const expiresAt = new Date(claims.exp * 1000)
    return callerOf({ ...found, expiresAt }, found.rights ?? noRights, 'session', principal)
  }

  /** Calls of our own services: HS256, at most five minutes (decision G-18). */
  private internal(token: string): Caller {
    const clockTimestamp = Math.floor(this.now().getTime() / 1000)
    try {
      const claims = this.signedByUs(token, clockTimestamp)
      const { svc, exp, iat, org_id: orgId } = claims as Record<string, unknown>
      if (typeof svc !== 'string' || svc === '' || !Number.isSafeInteger(exp)) throw new Error('svc or exp is missing')
      if (!Number.isSafeInteger(iat) || Number(iat) > clockTimestamp + 30)
        throw new Error('iat is missing or in the future')
      const own = { userId: '', orgId: typeof orgId === 'string' ? orgId : '' }
      return callerOf(own, noRights, 'internal', `svc:${svc}`)
    } catch {
      throw invalidToken()
    }
  }

  /** The content of a token signed with one of our secrets. @throws Error */
  private signedByUs(token: string, clockTimestamp: number): jwt.JwtPayload {
    const options = {
      algorithms: ['HS256' as const],
      audience: internalAudience,
      maxAge: internalSeconds,
      clockTimestamp,
    }
    let failure: unknown
    for (const secret of this.internalSecrets()) {
      try {
        return jwt.verify(token, secret, options) as jwt.JwtPayload
      } catch (error) {
        failure = error
      }
    }
    throw failure
  }

  /** Concurrent callers share one look-up. A negative result is not cached. */
  private look(
    key: string,
    find: () => Promise<(StoredGrant & { expiresAt?: Date | null }) | null>,
  ): Promise<(StoredGrant & { expiresAt?: Date | null }) | null> {
    const at = this.now().getTime()
    const kept = this.looked.get(key)
    // If the clock was set back, the entry must not live longer.
    if (kept && at < kept.until && kept.until - at <= keptMs) return kept.found
    const found = find()
    this.looked.set(key, { until: at + keptMs, found })
    const drop = () => {
      if (this.looked.get(key)?.found === found) this.looked.entries.delete(key)
    }
    found.then((looked) => !looked?.rights && drop(), drop)
    return found
  }
}

/** @throws Fault `unauthenticated` if the token is no longer valid, `forbidden` if its organization is closed */
function checkAlive(
  found: (StoredGrant & { expiresAt?: Date | null }) | null,
  now: Date,
): asserts found is StoredGrant & { rights: Rights } {
  const isOver = found?.expiresAt && found.expiresAt.getTime() <= now.getTime()
  if (!found?.rights || isOver) throw invalidToken()
  if (found.deletesAt) throw closedFault(found.deletesAt)
}

const wrongScope = (needed: TokenScope): Fault => Fault.forbidden('wrong_scope', wrongScopes[needed])

const wrongScopes: Readonly<Record<TokenScope, string>> = {
  api: 'This token is only for the analyst ClickHouse or for SCIM. Create one with scope api.',
  analyst: 'This token is only for the API or for SCIM. Create one with scope analyst.',
  scim: 'This requires a SCIM token, which an admin can create.',
}

const internalAudience = 'tidemark-internal'
const internalSeconds = 5 * 60

/** A token for a call of one of our services; `svc` is its name. */
export const internalToken = (secret: string, svc: string, now: Date, orgId?: string): string => {
  const iat = Math.floor(now.getTime() / 1000)
  const claims = { svc, aud: internalAudience, iat, exp: iat + internalSeconds, ...(orgId && { org_id: orgId }) }
  return jwt.sign(claims, secret, { algorithm: 'HS256' })
}

/** Whether a token claims to be from one of our services; not verified yet. */
const isInternal = (token: string): boolean =>
  (decodeToken(token)?.payload as jwt.JwtPayload | null | undefined)?.aud === internalAudience

const isAbout = ({ userId, sessionId, tokenId, orgId }: StoredGrant, changed: IdentityChange): boolean =>
  (changed.userId !== undefined && changed.userId === userId) ||
  (changed.sessionId !== undefined && changed.sessionId === sessionId) ||
  (changed.tokenId !== undefined && changed.tokenId === tokenId) ||
  (changed.orgId !== undefined && changed.orgId === orgId)

/** A directory may only do what its routes allow; its role is only a limit on the roles it may assign. */
const rightsBy = (kind: 'scim' | 'pat', rights: Rights): Rights =>
  kind === 'scim' ? { ...noRights, role: rights.role } : rights

const noRights: Rights = {
  role: '',
  isAdmin: false,
  permissions: new Set(),
  reportScope: { all: false, cloudAccountIDs: [], teamIDs: [] },
}

const callerOf = (
  found: Pick<StoredGrant, 'userId' | 'sessionId' | 'orgId' | 'lacksSecondFactor' | 'deletesAt'> & {
    expiresAt?: Date | null
  },
  rights: Rights,
  kind: Caller['kind'],
  principal: string,
): Caller => ({
  ...rights,
  kind,
  principal,
  orgId: found.orgId,
  userId: found.userId,
  ...(found.sessionId !== undefined && { sessionId: found.sessionId }),
  ...(found.expiresAt && { expiresAt: found.expiresAt }),
  ...(found.deletesAt && { deletesAt: found.deletesAt }),
  ...(found.lacksSecondFactor === true && { lacksSecondFactor: true }),
})

function bearer(authorization: string | undefined): string {
  const [, scheme, credentials] = /^\s*(\S+)\s+(\S+)\s*$/.exec(authorization ?? '') ?? []
  if (scheme?.toLowerCase() !== 'bearer') {
    throw Fault.unauthenticated('unauthenticated', 'Send an access token in the header Authorization: Bearer.')
  }
  return credentials!
}
