/** Common types for webhooks of all source hosts. */
import { timingSafeEqual } from 'node:crypto'
import { Fault } from '#engine/value/fault.ts'

/** Source hosts whose webhooks are accepted. */
export const sourceHosts = ['github', 'gitlab', 'bitbucket', 'azure-devops'] as const
export type SourceHost = (typeof sourceHosts)[number]

export type Headers = Readonly<Record<string, string | string[] | undefined>>

export interface PushEvent {
  /** As received: `refs/heads/...`. */
  ref: string
  branch: string
  commitSha: string
  repositoryUrl: string
  /** Time of the push according to the host, ISO 8601; missing if the host does not send it. */
  pushedAt?: string
}

export interface InstalledRepository {
  id: string
  fullName: string
  url: string
}

/** The meaning of a webhook; `none` if it is not relevant. */
export type SourceEvent =
  /** A delivery contains each branch once. */
  | { kind: 'push'; pushes: readonly PushEvent[]; installationId?: string }
  | {
      kind: 'pull-request'
      repositoryUrl: string
      fullName: string
      headSha: string
      number: number
      /** The installation that the delivery came from; missing for a webhook of the repository itself. */
      installationId?: string
    }
  | {
      kind: 'installation'
      installationId: string
      account: string
      /** `set`: exactly these repositories. `gone`: the installation was removed. */
      change: 'set' | 'add-and-remove' | 'gone'
      added: readonly InstalledRepository[]
      /** By id. */
      removed: readonly string[]
    }
  | { kind: 'none' }

export interface Delivery {
  /** The host's name of the event. */
  event: string
  deliveryId: string
}

/** A source host: authentication and content of its webhooks. */
export interface SourceReader {
  readonly host: SourceHost
  /** Checks from the headers alone whether the sender may know one of the secrets; if not, the body is not read. */
  isClaimed(headers: Headers, secrets: readonly string[], now: Date): boolean
  /** Whether a sender who knows one of the secrets has signed exactly these bytes. */
  isSigned(headers: Headers, raw: Buffer, secrets: readonly string[], now: Date): boolean
  /** Headers that are required besides the signature; each may have one of several names. */
  readonly needed: readonly (readonly string[])[]
  /** @throws Fault `invalid` if the delivery has no id */
  deliveryOf(headers: Headers, payload: unknown): Delivery
  /** @throws Fault `invalid`, naming missing members of a relevant event */
  read(event: string, payload: unknown): SourceEvent
}

export const nothing: SourceEvent = { kind: 'none' }

/** The value of a header under any of its names; undefined if missing or repeated. */
export function headerOf(headers: Headers, ...names: readonly string[]): string | undefined {
  const found = names.map((name) => headers[name]).find((value) => value !== undefined && value !== '')
  return typeof found === 'string' ? found : undefined
}

/** Compares two texts of the same length in constant time; false if the lengths differ. */
export function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/**
 * Whether one of the secrets produces the given text. All are tried, so that the time does not show which one matched.
 */
export const anyIs = (secrets: readonly string[], given: string, make: (secret: string) => string): boolean =>
  secrets.map((secret) => isSame(given, make(secret))).includes(true)

const branchRef = /^refs\/heads\/(.+)$/s

/** The branch of a ref; undefined for tags and notes. */
export const branchOf = (ref: string): string | undefined => branchRef.exec(ref)?.[1]

/** Hosts send zeros in place of a missing commit: when a branch is created or deleted. */
export const isNoCommit = (sha: string): boolean => /^0+$/.test(sha)

/** Converts a host's time, in seconds since 1970 or ISO 8601. Empty if it is neither, or from another century. */
export function pushedAt(given: unknown): { pushedAt?: string } {
  const at = typeof given === 'number' ? given * 1000 : typeof given === 'string' ? Date.parse(given) : Number.NaN
  return at >= centuryMs.from && at < centuryMs.to ? { pushedAt: new Date(at).toISOString() } : {}
}

const centuryMs = { from: Date.UTC(2000), to: Date.UTC(2100) }

/** Checks a payload against its schema. The problems in the fault refer to the body. */
export function readAs<T>(decode: (input: unknown) => T, payload: unknown): T {
  try {
    return decode(payload)
  } catch (error) {
    if (!(error instanceof Fault) || !error.detail.problems) throw error
    throw Fault.invalidAt(...error.detail.problems)
  }
}
