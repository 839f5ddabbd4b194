/** Identity for the edge and the command line: its tools, the callers of requests, and events about both. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { hourMs } from '#engine/value/day.ts'
import type { Fault } from '#engine/value/fault.ts'
import type { Open, Seal } from '#engine/seal.ts'
import { AccessTokens } from '#http/identity/token/access-token.ts'
import { recordEvent } from '#http/identity/organization/audit.ts'
import { Authenticator } from '#http/identity/session/authenticate.ts'
import { grantsIn } from '#http/identity/token/grant.ts'
import { PersonalAccessToken, Member, Organization, Role, User, UserIdentity } from '#http/identity/entity.ts'
import { KeyRing } from '#http/identity/token/key.ts'
import { IdempotentAnswer, OutsideMail, SecurityEvent } from '#http/identity/organization/record-entity.ts'
import { OidcConnection, OidcSignIn } from '#http/identity/provider/oidc-entity.ts'
import { LoginCode, ProviderDomain } from '#http/identity/provider/entity.ts'
import { SamlAssertion, SamlConnection, SamlKey, SamlRequest } from '#http/identity/provider/saml-entity.ts'
import { ScimGroupMember, ScimUser } from '#http/identity/provider/scim-entity.ts'
import {
  LoginFailure,
  MailedCode,
  OneTimePassword,
  RefreshToken,
  Session,
  SigningKey,
  type Method,
} from '#http/identity/session/session-entity.ts'
import { OrganizationSetting } from '#http/identity/organization/setting-entity.ts'
import { RecoveryCode, SecondFactor, SecondFactorChallenge } from '#http/identity/second-factor/entity.ts'
import { pruneThrottles } from '#http/identity/session/throttle.ts'
import { RateBucket, Throttle } from '#http/identity/session/throttle-entity.ts'
import type { RefusedCaller } from '#http/identity/session/session.ts'
import { StreamUser } from '#http/identity/token/stream-user.ts'
import type { IdentityChange, Client, IdentityTools, SocialSettings } from '#http/identity/tools.ts'
import { asService } from '#http/store/tenant.ts'

/** All entities of identity. */
export const identityEntities = [
  Organization,
  User,
  UserIdentity,
  Member,
  Role,
  PersonalAccessToken,
  Session,
  RefreshToken,
  OneTimePassword,
  LoginFailure,
  MailedCode,
  Throttle,
  SigningKey,
  SamlConnection,
  ProviderDomain,
  SamlRequest,
  SamlAssertion,
  SamlKey,
  OidcConnection,
  OidcSignIn,
  ScimUser,
  ScimGroupMember,
  LoginCode,
  SecurityEvent,
  IdempotentAnswer,
  OutsideMail,
  StreamUser,
  SecondFactor,
  RecoveryCode,
  SecondFactorChallenge,
  OrganizationSetting,
  RateBucket,
]

export interface IdentityOptions {
  em: () => EntityManager
  now: () => Date
  seal: Seal
  open: Open
  secretFor: IdentityTools['secretFor']
  secretsFor: IdentityTools['secretsFor']
  publicUrl: () => string
  appUrl: () => string
  /** Secrets that calls of our own services may be signed with. */
  internalSecrets: () => readonly string[]
  social: SocialSettings
  signUp: IdentityTools['signUp']
  organizations: IdentityTools['organizations']
  place: IdentityTools['place']
  allowPrivate: boolean
  outsideMails: IdentityTools['outsideMails']
  txtRecords: IdentityTools['txtRecords']
  /** Forwards a change to the other processes. */
  announce: (changed: IdentityChange) => void
}

export interface Identity extends IdentityTools {
  readonly authenticator: Authenticator
  /** Drops cached entries that a change, here or in another process, has made obsolete. */
  readonly forget: (changed: IdentityChange) => void
  /** Records that a caller was refused, at most once a minute for each caller and route. */
  readonly refusedAccess: (who: RefusedCaller, route: string, fault: Fault, client: Client) => void
  /** Records that a sign-in with another issuer was refused: for the organization whose provider it was, if any. */
  readonly refusedSignIn: (method: Method, fault: Fault, client: Client, orgId?: string) => void
}

const refusalEveryMs = 60_000
const refusalsMax = 10_000

export function identityOf(options: IdentityOptions): Identity {
  const { em, now, seal, open, announce } = options
  const keys = new KeyRing({ em, now, seal, open })
  const tokens = new AccessTokens(keys, options.publicUrl, now)
  const grants = grantsIn(em, now)
  const authenticator = new Authenticator(
    {
      session: (...about) => asService(() => grants.session(...about)),
      token: (...about) => asService(() => grants.token(...about)),
    },
    tokens,
    options.internalSecrets,
    now,
  )
  const forget = (changed: IdentityChange) => authenticator.forget(changed)
  const refusals = new Map<string, number>()
  /** If the event cannot be recorded now, the response must not change. */
  const note = (...[happened, client]: [Parameters<typeof recordEvent>[1], Client]) =>
    void asService(() => em().transactional((tx) => recordEvent(tx, happened, client, now()))).catch(() => {})

  return {
    ...options,
    keys,
    tokens,
    authenticator,
    forget,
    changed(what) {
      forget(what)
      announce(what)
    },
    refusedAccess({ orgId, userId, principal }, route, { code }, client) {
      const id = `${orgId}\n${principal}\n${route}`
      const at = now().getTime()
      if (Math.abs(at - (refusals.get(id) ?? -Infinity)) < refusalEveryMs) return
      if (refusals.size >= refusalsMax) refusals.clear()
      refusals.set(id, at)
      note({ type: 'access_refused', orgId, userId, principal, detail: { route, code } }, client)
    },
    refusedSignIn(method, { cause, code }, client, orgId = '') {
      const reason = cause instanceof Error ? cause.message : typeof cause === 'string' ? cause : code
      note({ type: 'login_failed', orgId, detail: { method, reason: reason.slice(0, 200) } }, client)
    },
  }
}

/**
 * Deletes expired rows, and security events before `securityEventsFrom`. Run it regularly; being a day late does no
 * harm.
 */
export async function pruneIdentity(em: EntityManager, now: Date, securityEventsFrom: Date): Promise<void> {
  const at = (ms: number) => new Date(now.getTime() - ms)
  await asService(async () => {
    await pruneThrottles(em, now)
    await em.nativeDelete(MailedCode, { expiresAt: { $lt: at(24 * hourMs) } })
    await em.nativeDelete(LoginFailure, { at: { $lt: at(hourMs) } })
    await em.nativeDelete(RateBucket, { at: { $lt: at(hourMs) } })
    await em.nativeDelete(SecondFactorChallenge, { expiresAt: { $lt: now } })
    await em.nativeDelete(OneTimePassword, { expiresAt: { $lt: at(24 * hourMs) } })
    await em.nativeDelete(LoginCode, { expiresAt: { $lt: now } })
    await em.nativeDelete(SamlRequest, { createdAt: { $lt: at(hourMs) } })
    await em.nativeDelete(OidcSignIn, { createdAt: { $lt: at(hourMs) } })
    await em.nativeDelete(SamlAssertion, { usedAt: { $lt: at(48 * hourMs) } })
    await em.nativeDelete(IdempotentAnswer, { startedAt: { $lt: at(24 * hourMs) } })
    await em.nativeDelete(RefreshToken, { expiresAt: { $lt: at(24 * hourMs) } })
    await em.nativeDelete(SecurityEvent, { at: { $lt: securityEventsFrom } })
    await em.nativeDelete(Session, { expiresAt: { $lt: at(24 * hourMs) } })
  })
}
