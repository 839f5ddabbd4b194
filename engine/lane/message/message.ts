/**
 * Converts bytes to messages for actors. Any error in a message affects only that message: it becomes a dead letter
 * with its reason and its bytes, and the lane continues.
 */
import { dayMs } from '#engine/value/day.ts'
import type { Receiver, Registry } from '#engine/actor/registry.ts'
import { Fault } from '#engine/value/fault.ts'
import { parseJson } from '#engine/value/json.ts'
import type { LogMessage } from '#engine/actor/ports.ts'
import { ScannedData } from '#engine/scan/held-values.ts'
import { decoder } from '#engine/value/schema.ts'
import {
  EnvelopeShape,
  header,
  manyPlaces,
  subjectToken,
  tokenId,
  type Envelope,
  type Subject,
} from '#engine/actor/subject.ts'
import type { Address } from '#engine/actor/address.ts'

export interface DueReminder {
  kind: string
  key: string
  name: string
  /** Milliseconds since 1970. */
  due: number
}

/** The content of a message, and its key. */
export interface Print {
  /** Its key, with place and organization. */
  id: string
  address: Address
  except: string
  hash: string
}

/**
 * One envelope of a log message, with its address. A log message may contain an array of envelopes; `index` counts
 * them.
 */
export interface Message {
  log: LogMessage
  index: number
  envelope: Envelope
  /** Milliseconds since 1970. */
  time: number
  subject: Subject
  receivers: readonly Receiver[]
  orgId: string
  place: string
  /** Set if the message arrived under a token other than its place's own: it is forwarded to the right lane. */
  forward?: string
  reminded?: DueReminder
  /** For a subject with echoes: the content, if it could be determined from the bytes. */
  print?: Print
}

/** A message that cannot be delivered, and the reason. */
export interface MessageRefusal {
  log: LogMessage
  index: number
  fault: Fault
  orgId: string
  place: string
  /** Set if it was a reminder: it must not be delivered again. */
  reminded?: DueReminder
  type: string
  messageId: string
  /** Its organization is closed, so it is not a dead letter. */
  isDropped?: true
  /** It is stored, to be run later. */
  isToPark?: true
  /** The envelope as received; the whole body if that could not be read. */
  body: Uint8Array
}

const decodeHead = decoder(EnvelopeShape)

/** Maximum envelopes in a log message. */
export const envelopesMax = 5000
/** How far a producer's time may be ahead of the broker's. */
const aheadMsMax = dayMs

export function readMessage(registry: Registry, given: LogMessage): (Message | MessageRefusal)[] {
  const log = given.subject.startsWith('actor.') ? given : foreign(given)
  const scanned = registry.scanners.get(kindOf(log.subject))?.scan(log.body, envelopesMax)
  if (scanned) return scanned.map((envelope, index) => addressScanned(registry, log, index, envelope))
  let parsed: unknown
  try {
    parsed = parse(log.body)
  } catch (error) {
    return [refusal(log, 0, Fault.from(error), undefined, log.body)]
  }
  const list: unknown[] = Array.isArray(parsed) ? parsed : [parsed]
  if (list.length === 0)
    return [refusal(log, 0, Fault.invalid('empty_message', 'The message is an empty list.'), undefined, log.body)]
  if (list.length > envelopesMax) {
    const fault = Fault.invalid('too_many_envelopes', `A message can have at most ${envelopesMax} envelopes.`)
    return [refusal(log, 0, fault, undefined, log.body)]
  }
  return list.map((item, index) => {
    try {
      return address(registry, log, index, decodeHead(item) as Envelope)
    } catch (error) {
      const body = Array.isArray(parsed) ? Buffer.from(JSON.stringify(item) ?? 'null') : log.body
      return refusal(log, index, Fault.from(error), item, body)
    }
  })
}

export const kindOf = (subject: string): string => subject.slice(0, subject.indexOf('.'))

/** A scanned envelope, which is therefore complete. */
function addressScanned(
  registry: Registry,
  log: LogMessage,
  index: number,
  envelope: Envelope,
): Message | MessageRefusal {
  try {
    return address(registry, log, index, envelope)
  } catch (error) {
    return refusal(
      log,
      index,
      Fault.from(error),
      envelope,
      isList(log.body) ? Buffer.from(JSON.stringify(envelope)) : log.body,
    )
  }
}

const isList = (body: Uint8Array): boolean => body.find((byte) => byte > 32) === 91

const ours: readonly string[] = Object.values(header)

/** A producer's message: our headers are ignored on it. */
export function foreign(log: LogMessage): LogMessage {
  if (!ours.some((name) => name in log.headers)) return log
  return { ...log, headers: Object.fromEntries(Object.entries(log.headers).filter(([name]) => !ours.includes(name))) }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })
/** Escapes of NUL and of surrogates, which may hide text that PostgreSQL refuses. */
const suspicious = /\\u(?:0000|[dD][89a-fA-F])/

function parse(body: Uint8Array): unknown {
  let text: string
  try {
    text = utf8.decode(body)
  } catch {
    throw Fault.invalid('not_utf8', 'The message is not UTF-8 text.')
  }
  let value: unknown
  try {
    value = parseJson(text)
  } catch {
    throw Fault.invalid('malformed_json', 'The message is not valid JSON.')
  }
  if (isDeep(value, 0)) throw Fault.invalid('too_deep', `The message is nested deeper than ${depthMax} levels.`)
  if (suspicious.test(text) && !isText(value)) {
    throw Fault.invalid('text_invalid', 'A string in the message contains a NUL character or an unpaired surrogate.')
  }
  return value
}

/** Maximum nesting of a message: deeper ones could be read but not written again. */
const depthMax = 64

function isDeep(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (depth >= depthMax) return true
  if (Array.isArray(value)) return value.some((entry) => isDeep(entry, depth + 1))
  for (const key in value) if (isDeep((value as Record<string, unknown>)[key], depth + 1)) return true
  return false
}

/** False if a text in `value` contains NUL or a lone surrogate. */
function isText(value: unknown): boolean {
  if (typeof value === 'string') return !value.includes('\0') && value.isWellFormed()
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([key, entry]) => isText(key) && isText(entry))
}

/** At most `max` characters of `text`, in a form that every store accepts. */
export const keptText = (text: string, max: number): string =>
  text.slice(0, max).replaceAll('\0', '\ufffd').toWellFormed()

/** Maximum characters of a subject's token: the server accepts 4,096 for a whole subject. */
const tokenMax = 2048

function address(registry: Registry, log: LogMessage, index: number, envelope: Envelope): Message {
  const [kind = '', org = '', token = ''] = log.subject.split('.')
  const orgId = tokenId(org)
  if (envelope.orgId !== orgId) {
    throw Fault.forbidden('foreign_organization', 'The organization in the message does not match its subject.')
  }
  const entry = findSubject(registry, kind, envelope.type)
  const time = happenedAt(envelope.time, limitOf(kind, log))
  envelope.data = decodeData(entry.decode, envelope.data)
  const { subject, receivers } = entry
  const found = { log, index, envelope, time, subject, receivers, orgId }
  const own = ownReminder(kind, envelope)
  if (own) return { ...found, place: own.place, reminded: own }
  const place = checkPlace(subject.place?.(envelope.data as never) ?? tokenId(token))
  // Messages between lanes for many places have arrived at the right one.
  if (kind === 'actor' && token === manyPlaces) return { ...found, place }
  const reminded = reminder(log)
  return {
    ...found,
    place,
    ...(subjectToken(place) !== token && { forward: subjectToken(place) }),
    ...(reminded && { reminded }),
  }
}

/** The subject with this type, for a message that arrived on a subject of `kind`. */
function findSubject(registry: Registry, kind: string, type: string) {
  const entry = registry.subjects.get(type)
  if (!entry) throw Fault.invalid('unknown_type', `No such message type: ${type}`)
  const { kind: own } = entry.subject
  if (own !== kind)
    throw Fault.invalid('wrong_subject', `${type} must be sent on ingest.${own}, not on ingest.${kind}.`)
  return entry
}

/** Scanned data has already been checked against its schema. */
const decodeData = (decode: (data: unknown) => unknown, data: unknown): unknown =>
  data instanceof ScannedData ? data : decode(data)

function checkPlace(place: string): string {
  if (isText(place) && subjectToken(place).length <= tokenMax) return place
  throw Fault.invalid('place_invalid', 'The account is not a string, or is too long for a subject.')
}

/** Lanes' clocks do not go back, so what they send each other is ahead of a broker whose clock was set back. */
const limitOf = (kind: string, log: LogMessage): number => (kind === 'actor' ? Infinity : log.at)

/** Milliseconds since 1970. @throws Fault `invalid` */
export function happenedAt(text: string, brokerAt: number): number {
  const time = Date.parse(text)
  if (Number.isNaN(time)) throw Fault.invalid('time_invalid', 'The time of the message is not a valid ISO 8601 time.')
  if (time > brokerAt + aheadMsMax)
    throw Fault.invalid('time_invalid', 'The time of the message is more than a day in the future.')
  return time
}

/** A reminder that a lane sent to itself; ignored on a producer's message. */
const ownReminder = (kind: string, { reminder: own }: Partial<Envelope>): Envelope['reminder'] =>
  kind === 'actor' ? own : undefined

function reminder(log: LogMessage): DueReminder | undefined {
  const value = log.headers[header.reminder]
  if (value === undefined) return undefined
  const [kind = '', key = '', name = '', due = ''] = value.split('.').map(tokenId)
  const isReal = Number.isFinite(Number(due)) && [kind, key, name].every(isText)
  return isReal ? { kind, key, name, due: Number(due) } : undefined
}

export const reminderHeader = (r: DueReminder): string =>
  [r.kind, r.key, r.name, String(r.due)].map(subjectToken).join('.')

/** The actor of `receiver` that `message` is for; undefined if a reminder is for another kind. */
export function addressee(message: Message, receiver: Receiver): Address | undefined {
  const { orgId, place, reminded } = message
  if (reminded) return receiver.actor.kind === reminded.kind ? { orgId, place, key: reminded.key } : undefined
  return { orgId, place, key: receiver.reaction.key(message.envelope.data as never) }
}

function refusal(log: LogMessage, index: number, fault: Fault, item: unknown, body: Uint8Array): MessageRefusal {
  const head = (typeof item === 'object' && item !== null ? item : {}) as Partial<Envelope>
  const word = (value: unknown): string => (typeof value === 'string' ? value : '')
  const [kind, org = '', token = ''] = log.subject.split('.')
  const own = ownReminder(kind ?? '', head)
  const reminded = own ?? reminder(log)
  return {
    log,
    index,
    fault,
    orgId: keptText(tokenId(org), 256),
    place: keptText(own?.place ?? tokenId(token), 1024),
    ...(reminded && { reminded }),
    type: keptText(word(head.type), 128),
    messageId: keptText(word(head.id) || word(log.headers['Nats-Msg-Id']), 256),
    body,
  }
}

/** A log message of which no envelope is read. */
export const refuseLogMessage = (log: LogMessage, fault: Fault): MessageRefusal =>
  refusal(log, 0, fault, undefined, log.body)

export const isRefusal = (m: Message | MessageRefusal): m is MessageRefusal => 'fault' in m
