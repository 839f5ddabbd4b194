/** What identity is made with. Everything here sees all organizations: run it `asService`. */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Open, Seal } from '#engine/seal.ts'
import type { AccessTokens } from '#http/identity/token/access-token.ts'
import type { SignUp } from '#http/identity/session/sign-up.ts'
import type { KeyRing } from '#http/identity/token/key.ts'
import type { OutsideMailLimits } from '#http/identity/person/outside-mail.ts'

/** Who sent a request, as far as the network tells. */
export interface Client {
  readonly ip: string
  readonly userAgent: string
  readonly requestId: string
}

export interface SocialSettings {
  /** Google's address, or that of another OpenID provider in its place, and the client ids its tokens may be for. */
  readonly googleIssuer: string
  readonly googleClientIds: readonly string[]
  readonly githubUrl: string
  readonly githubApiUrl: string
  readonly githubClientId: string | undefined
  readonly githubClientSecret: string | undefined
}

/** What people may make of organizations; 0: no limit. */
export interface OrganizationLimits {
  /** Organizations that a person owns. */
  readonly owned: number
  /** Organizations of a day that a person makes, and those that are made from one block of addresses. */
  readonly perDay: number
}

export interface IdentityTools {
  /** A fresh entity manager. */
  readonly em: () => EntityManager
  readonly now: () => Date
  readonly seal: Seal
  readonly open: Open
  /** 32 bytes that only this installation knows, another for each purpose. */
  readonly secretFor: (purpose: string) => Buffer
  /** That one, and those before it while they count: what was made with them is good until it ends. */
  readonly secretsFor: (purpose: string) => readonly Buffer[]
  readonly keys: KeyRing
  readonly tokens: AccessTokens
  /** Where callers reach this service, without a slash at the end. */
  readonly publicUrl: () => string
  /** Where people are sent after signing in at a provider of their organization. */
  readonly appUrl: () => string
  readonly social: SocialSettings
  /** Who may make an account. */
  readonly signUp: SignUp
  readonly organizations: OrganizationLimits
  /** Whether addresses that customers give may lead into private networks, and by http: as well. */
  readonly allowPrivate: boolean
  readonly outsideMails: OutsideMailLimits
  /** The texts of a name's TXT records; none where the DNS knows none. @throws Fault `transient` `upstream_failed` without an answer */
  readonly txtRecords: (name: string) => Promise<string[]>
  /** Tells every process that what it knows of a user, a token or an organization's roles may be old. */
  readonly changed: (what: IdentityChange) => void
}

/** Exactly one of them. */
export interface IdentityChange {
  userId?: string
  sessionId?: string
  tokenId?: string
  orgId?: string
}
