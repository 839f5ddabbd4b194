/** What a webhook of a host of sources comes to, whichever host it is. */
import { timingSafeEqual } from 'node:crypto'
import { Fault } from '#engine/value/fault.ts'

/** Hosts of sources whose webhooks are taken. */
export const sourceHosts = ['github', 'gitlab', 'bitbucket', 'azure-devops'] as const
export type SourceHost = (typeof sourceHosts)[number]

export type Headers = Readonly<Record<string, string | string[] | undefined>>

export interface PushEvent {
  /** As it came, `refs/heads/...`. */
  ref: string
  branch: string
  commitSha: string
  repositoryUrl: string
  /** When it was pushed, as the host says, ISO 8601; left out where it does not. */
  pushedAt?: string
}

export interface InstalledRepository {
  id: string
  fullName: string
  url: string
}

/** Of what a host is told, what means something here; `none` for all else. */
export type SourceEvent =
  /** Of one delivery each branch is named once. */
  | { kind: 'push'; pushes: readonly PushEvent[]; installationId?: string }
  | {
      kind: 'pull-request'
      repositoryUrl: string
      fullName: string
      headSha: string
      number: number
      /** By which its host tells of it; left out for a webhook of the repository itself. */
      installationId?: string
    }
  | {
      kind: 'installation'
      installationId: string
      account: string
      /** `set`: these and no others. `gone`: it was taken away. */
      change: 'set' | 'add-and-remove' | 'gone'
      added: readonly InstalledRepository[]
      /** By id. */
      removed: readonly string[]
    }
  | { kind: 'none' }

export interface Delivery {
  /** As the host calls it. */
  event: string
  deliveryId: string
}

/** A host of sources: who may speak for it, and what it says. */
export interface SourceReader {
  readonly host: SourceHost
  /** Whether the headers leave it open that whoever sent them knows one of the secrets: of a body that they do not nothing is read. */
  isClaimed(headers: Headers, secrets: readonly string[], now: Date): boolean
  /** Whether whoever knows one of the secrets has sent these very bytes. */
  isSigned(headers: Headers, raw: Buffer, secrets: readonly string[], now: Date): boolean
  /** Names of headers that must be there beside the signature, each by any of its names. */
  readonly needed: readonly (readonly string[])[]
  /** @throws Fault `invalid` where the delivery has no name */
  deliveryOf(headers: Headers, payload: unknown): Delivery
  /** @throws Fault `invalid` naming what is missing in an event that means something */
  read(event: string, payload: unknown): SourceEvent
}

export const nothing: SourceEvent = { kind: 'none' }

/** One value of a header, by any of its names; undefined without one, or with several. */
export function headerOf(headers: Headers, ...names: readonly string[]): string | undefined {
  const found = names.map((name) => headers[name]).find((value) => value !== undefined && value !== '')
  return typeof found === 'string' ? found : undefined
}

/** Whether two texts are the same, in the same time whatever they are; of other lengths they are not. */
export function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** Whether one of the secrets makes what was given; all of them are tried, so that the time does not tell which. */
export const anyIs = (secrets: readonly string[], given: string, make: (secret: string) => string): boolean =>
  secrets.map((secret) => isSame(given, make(secret))).includes(true)

const branchRef = /^refs\/heads\/(.+)$/s

/** The branch of a ref; undefined for tags and notes. */
export const branchOf = (ref: string): string | undefined => branchRef.exec(ref)?.[1]

/** What hosts put in the place of a commit that is not there: a branch is made, or deleted. */
export const isNoCommit = (sha: string): boolean => /^0+$/.test(sha)

/** A moment of a host, seconds since 1970 or ISO 8601; none for what is neither, or of another century. */
export function pushedAt(given: unknown): { pushedAt?: string } {
  const at = typeof given === 'number' ? given * 1000 : typeof given === 'string' ? Date.parse(given) : Number.NaN
  return at >= centuryMs.from && at < centuryMs.to ? { pushedAt: new Date(at).toISOString() } : {}
}

const centuryMs = { from: Date.UTC(2000), to: Date.UTC(2100) }

/** A payload as its schema has it. What is wrong with it stands in the body. */
export function readAs<T>(decode: (input: unknown) => T, payload: unknown): T {
  try {
    return decode(payload)
  } catch (error) {
    if (!(error instanceof Fault) || !error.detail.problems) throw error
    throw Fault.invalidAt(...error.detail.problems)
  }
}
