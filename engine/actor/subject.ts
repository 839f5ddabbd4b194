import type { Scan } from '#engine/scan/fields.ts'
import type { SaidFields } from '#engine/scan/said.ts'
import { t, type Static, type TSchema } from '#engine/value/schema.ts'

/** The place of everything that belongs to a whole organization and to no cloud account. */
export const orgWide = '-'

/** One kind of message: its name, its shape and the place whose lane carries it. Declared once, as a value. */
export interface Subject<S extends TSchema = TSchema> {
  /** The envelope's `type`, for example `billing.line`. */
  name: string
  /** Second token of the NATS subject `ingest.<kind>.<org>.<place>`; `actor` for messages between actors and commands. */
  kind: string
  /** One sentence for the producers' documentation. */
  summary: string
  schema: S
  /** Messages that decode: shown to producers, run by tests. */
  examples: readonly Static<S>[]
  /** The place the message belongs to (a cloud account's id, or `orgWide`); undefined: whatever the subject's token says. */
  place?: (data: Static<S>) => string
  /** Remembers the ids of its messages, so that a repeat has no effect however late it comes. Messages whose effects are keyed do not need it. */
  once?: boolean
  /** Reads messages from their bytes where it can: for those that come by the million. Data is a `Scanned` then. */
  scan?: Scan
  /** Most of its messages say what one before them has said: those are not read. The kinds that hear it say when they may be passed over. */
  echo?: SaidFields
}

export const subject = <S extends TSchema>(declaration: Subject<S>): Subject<S> => declaration

/** Characters of the id of a message; a longer one is not taken. */
export const messageIdMax = 256

/** What producers publish: G-100 of the decisions. `time` is when it happened, ISO 8601 UTC. */
export interface Envelope<T = unknown> {
  id: string
  type: string
  schemaVersion: 1
  orgId: string
  time: string
  source?: string
  /** On what a lane sends to itself: the due reminder that this is. Means nothing on a producer's message. */
  reminder?: { kind: string; place: string; key: string; name: string; due: number }
  data: T
}

/** What an envelope must be, whatever it carries. */
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

/** A place or id as one NATS subject token: itself when it is plain, else `=` and its base64url form. */
export const subjectToken = (id: string): string => (plain.test(id) ? id : `=${Buffer.from(id).toString('base64url')}`)

/** The id a subject token stands for; the inverse of `subjectToken`. */
export const tokenId = (token: string): string =>
  token.startsWith('=') ? Buffer.from(token.slice(1), 'base64url').toString('utf8') : token

/** The NATS subject to publish a message of `kind` on. The server maps it to its lane. */
export const ingestSubject = (kind: string, orgId: string, place: string): string =>
  `ingest.${kind}.${subjectToken(orgId)}.${subjectToken(place)}`

/** Headers of messages the product sends to itself: on subjects of kind `actor`, which no producer may publish on. */
export const header = {
  /** The asker's inbox, and until when it waits (ISO time): a later turn would surprise it, so none is run. */
  reply: 'Tidemark-Reply',
  deadline: 'Tidemark-Deadline',
  /** A due reminder as versions before this one sent it, by itself: `kind`, `key`, `name` and `due`, each a subject token, joined by dots. */
  reminder: 'Tidemark-Reminder',
} as const

/** In place of its place's token on what a lane is sent for many of its places at once; no id has it. */
export const manyPlaces = '~'

/** Where replies to the product go: no other user of the server may listen there. */
export const inboxPrefix = '_INBOX_tidemark'
