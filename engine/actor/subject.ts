import type { Scan } from '#engine/scan/fields.ts'
import type { FingerprintFields } from '#engine/scan/fingerprint.ts'
import { t, type Static, type TSchema } from '#engine/value/schema.ts'

/** The place of everything that belongs to an organization as a whole, not to a cloud account. */
export const orgWide = '-'

/** One type of message: its name, its shape, and the place whose lane carries it. Declared once, as a value. */
export interface Subject<S extends TSchema = TSchema> {
  /** The envelope's `type`, for example `billing.line`. */
  name: string
  /**
   * Second token of the NATS subject `ingest.<kind>.<org>.<place>`; `actor` for commands and messages between actors.
   */
  kind: string
  /** One sentence for the producers' documentation. */
  summary: string
  schema: S
  /** Valid messages: shown to producers and run by tests. */
  examples: readonly Static<S>[]
  /**
   * The place a message belongs to (a cloud account's id, or `orgWide`); undefined: the token of the NATS subject
   * decides.
   */
  place?(data: Static<S>): string
  /**
   * Stores the ids of its messages, so that a repeat has no effect however late it arrives. Not needed if all effects
   * are keyed.
   */
  once?: boolean
  /**
   * Reads messages from their bytes if possible: for message types that arrive in millions. The data is then a
   * `Scanned`.
   */
  scan?: Scan
  /**
   * Most of its messages repeat the previous one and are skipped unread. Each receiving kind declares when that is
   * allowed.
   */
  echo?: FingerprintFields
}

export const subject = <S extends TSchema>(declaration: Subject<S>): Subject<S> => declaration

/** Maximum characters of a message id; messages with a longer one are refused. */
export const messageIdMax = 256

/** What producers publish: decision G-100. `time` is when it happened, ISO 8601 UTC. */
export interface Envelope<T = unknown> {
  id: string
  type: string
  schemaVersion: 1
  orgId: string
  time: string
  source?: string
  /** On messages that a lane sends to itself: the due reminder. Ignored on a producer's message. */
  reminder?: { kind: string; place: string; key: string; name: string; due: number }
  data: T
}

/** The schema of an envelope, whatever its data. */
export const EnvelopeShape = t.Object({
  id: t.String({ minLength: 1, maxLength: messageIdMax }),
  type: t.String({ minLength: 1, maxLength: 128 }),
  schemaVersion: t.Literal(1),
  orgId: t.String({ minLength: 1, maxLength: 256 }),
  time: t.String({ minLength: 1, maxLength: 64 }),
  source: t.Optional(t.String({ maxLength: 256 })),
  reminder: t.Optional(
    t.Object({ kind: t.String(), place: t.String(), key: t.String(), name: t.String(), due: t.Number() }),
  ),
  data: t.Unknown(),
})

const plain = /^[A-Za-z0-9_-]{1,128}$/

/** A place or id as one NATS subject token: unchanged if it is plain, otherwise `=` and its base64url form. */
export const subjectToken = (id: string): string => (plain.test(id) ? id : `=${Buffer.from(id).toString('base64url')}`)

/** The id of a subject token; the inverse of `subjectToken`. */
export const tokenId = (token: string): string =>
  token.startsWith('=') ? Buffer.from(token.slice(1), 'base64url').toString('utf8') : token

/** The NATS subject for a message of `kind`. The server maps it to its lane. */
export const ingestSubject = (kind: string, orgId: string, place: string): string =>
  `ingest.${kind}.${subjectToken(orgId)}.${subjectToken(place)}`

/**
 * Headers of messages that the product sends to itself, on subjects of kind `actor`, on which producers may not
 * publish.
 */
export const header = {
  /** The caller's inbox, and how long the caller waits (ISO time): after that no turn is run for the command. */
  reply: 'Tidemark-Reply',
  deadline: 'Tidemark-Deadline',
  /**
   * A due reminder in the form of earlier versions, one per message: `kind`, `key`, `name` and `due`, each as a subject
   * token, joined by dots.
   */
  reminder: 'Tidemark-Reminder',
} as const

/** Replaces the place's token in messages for many places of a lane; no id is equal to it. */
export const manyPlaces = '~'

/** Subjects for replies to the product: no other user of the server may subscribe there. */
export const inboxPrefix = '_INBOX_tidemark'
