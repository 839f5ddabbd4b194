/** The tools of identity. Everything here sees all organizations: run it `asService`. */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Open, Seal } from '#engine/seal.ts'
import type { AccessTokens } from '#http/identity/token/access-token.ts'
import type { SignUp } from '#http/identity/session/sign-up.ts'
import type { KeyRing } from '#http/identity/token/key.ts'
import type { OutsideMailLimits } from '#http/identity/person/outside-mail.ts'

/** The client of a request, as far as the network tells. */
export interface Client {
  readonly ip: string
  readonly userAgent: string
  readonly requestId: string
}

export interface SocialSettings {
  /** The URL of Google, or of another OpenID provider in its place. Below: client ids that its tokens may be for. */
  readonly googleIssuer: string
  readonly googleClientIds: readonly string[]
  readonly githubUrl: string
  readonly githubApiUrl: string
  readonly githubClientId: string | undefined
  readonly githubClientSecret: string | undefined
}

/** Limits on creating organizations; 0: no limit. */
export interface OrganizationLimits {
  /** Organizations that a person may own. */
  readonly owned: number
  /** Organizations per day that a person may create; below, that may be created from one address block. */
  readonly perDay: number
}

export interface IdentityTools {
  /** A fresh entity manager. */
  readonly em: () => EntityManager
  readonly now: () => Date
  readonly seal: Seal
  readonly open: Open
  /** 32 bytes known only to this installation, different for each purpose. */
  readonly secretFor: (purpose: string) => Buffer
  /**
   * The current secret, and earlier ones while they are valid: what was created with them stays valid until it expires.
   */
  readonly secretsFor: (purpose: string) => readonly Buffer[]
  readonly keys: KeyRing
  readonly tokens: AccessTokens
  /** The URL of this service for callers, without a trailing slash. */
  readonly publicUrl: () => string
  /** Where people are sent after signing in with a provider of their organization. */
  readonly appUrl: () => string
  readonly social: SocialSettings
  /** Who may create an account. */
  readonly signUp: SignUp
  readonly organizations: OrganizationLimits
  /** Chooses where the cost data of a new organization is stored, in the transaction that creates it. */
  readonly place: (em: EntityManager, orgId: string) => Promise<void>
  /** Whether addresses given by customers may lead into private networks and use http:. */
  readonly allowPrivate: boolean
  readonly outsideMails: OutsideMailLimits
  /**
   * The texts of a name's TXT records; empty if DNS has none.
   * @throws Fault `transient` `upstream_failed` without an answer
   */
  readonly txtRecords: (name: string) => Promise<string[]>
  /** Notifies every process that cached data about a user, a token or an organization's roles may be obsolete. */
  readonly changed: (what: IdentityChange) => void
}

/** Exactly one member is set. */
export interface IdentityChange {
  userId?: string
  sessionId?: string
  tokenId?: string
  orgId?: string
}
