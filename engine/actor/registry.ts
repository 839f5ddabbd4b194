import type { MetadataStorage } from '@mikro-orm/core'
import type { Actor, FollowingEcho, LeadingEcho, Reaction } from './actor.ts'
import { rowShape, type RowShape } from './row.ts'
import { EnvelopeScanner } from '#engine/scan/envelope.ts'
import type { ScannedData } from '#engine/scan/held-values.ts'
import { createFingerprintScanner, type Fingerprint } from '#engine/scan/fingerprint.ts'
import type { JsonBytes } from '#engine/scan/json-bytes.ts'
import { decoder } from '#engine/value/schema.ts'
import { EnvelopeShape, type Subject } from './subject.ts'

/** One actor kind that reacts to a subject. */
export interface Receiver {
  actor: Actor
  reaction: Reaction<object>
}

/** All subjects and actor kinds of the product, indexed for lanes. */
export interface Registry {
  actors: ReadonlyMap<string, Actor>
  shapes: ReadonlyMap<string, RowShape>
  subjects: ReadonlyMap<
    string,
    { subject: Subject; decode: (data: unknown) => unknown; receivers: readonly Receiver[] }
  >
  /** By the kind of their subject: readers of messages that are scanned from bytes. */
  scanners: ReadonlyMap<string, EnvelopeScanner<ScannedData>>
  /** By the kind of their subject: how echoes are recognized. */
  echoes: ReadonlyMap<string, EchoPlan>
}

/** The columns that an echo sets, with and without a name for the occasion. */
interface EchoColumns {
  named: RowShape['columns']
  unnamed: RowShape['columns']
}

/** How echoes of a subject are recognized. */
export interface EchoPlan {
  subject: Subject
  scanner: EnvelopeScanner<Fingerprint>
  receivers: readonly Receiver[]
  leader: { actor: Actor; shape: RowShape; echo: LeadingEcho<object>; columns: EchoColumns }
  followers: readonly { actor: Actor; echo: FollowingEcho<object> }[]
}

/** @throws if two actor kinds or two subjects have the same name. */
export function registry(actors: readonly Actor[], subjects: readonly Subject[], metadata: MetadataStorage): Registry {
  const known = new Map<string, { subject: Subject; decode: (data: unknown) => unknown; receivers: Receiver[] }>()
  for (const subject of subjects) {
    if (known.has(subject.name)) throw new Error(`subject ${subject.name} is declared more than once`)
    known.set(subject.name, { subject, decode: decoder(subject.schema), receivers: [] })
  }
  const kinds = new Map<string, Actor>()
  const shapes = new Map<string, RowShape>()
  for (const actor of actors) {
    if (kinds.has(actor.kind)) throw new Error(`actor kind ${actor.kind} is declared twice`)
    kinds.set(actor.kind, actor)
    shapes.set(actor.kind, rowShape(metadata.get(actor.entity), actor.address))
    for (const reaction of actor.reactions.values()) {
      const entry = known.get(reaction.subject.name)
      if (!entry) throw new Error(`${actor.kind} reacts to ${reaction.subject.name}, which is not declared`)
      entry.receivers.push({ actor, reaction })
    }
  }
  const scanned = subjects.filter((subject) => subject.scan)
  const scanners = new Map(scanned.map((subject) => [subject.kind, headsBefore(subject, subject.scan!)]))
  const echoing = [...known.values()].filter(({ subject }) => subject.echo)
  const echoes = new Map(echoing.map((one) => [one.subject.kind, echoPlan(one, shapes)]))
  return { actors: kinds, shapes, subjects: known, scanners, echoes }
}

/** @throws if no kind leads, or if a kind that always receives the subject does not declare its echo. */
function echoPlan(
  { subject, receivers }: { subject: Subject; receivers: readonly Receiver[] },
  shapes: ReadonlyMap<string, RowShape>,
): EchoPlan {
  const leaders = receivers.flatMap(({ actor, reaction: { echo } }) => {
    if (echo === undefined || echo === 'nothing' || echo.role !== 'leads') return []
    const shape = shapes.get(actor.kind)!
    const columns = (except: string) => {
      const set = echo.sets(new Date(0), except)
      return shape.columns.filter(({ property }) => property in set)
    }
    return [{ actor, shape, echo, columns: { named: columns('any'), unnamed: columns('') } }]
  })
  const followers = receivers.flatMap(({ actor, reaction: { echo } }) => {
    if (echo === undefined || echo === 'nothing' || echo.role !== 'follows') return []
    return [{ actor, echo }]
  })
  const deaf = receivers.find(({ reaction }) => !reaction.echo && !reaction.existing)
  if (deaf) throw new Error(`${deaf.actor.kind} must declare how it handles an echo of ${subject.name}`)
  if (leaders.length !== 1)
    throw new Error(`exactly one actor kind must lead the echoes of ${subject.name}, found ${leaders.length}`)
  return {
    subject,
    receivers,
    leader: leaders[0]!,
    followers,
    scanner: headsBefore(subject, createFingerprintScanner(subject.echo!)),
  }
}

/** A scanner does not read reminders, which no producer sends, or data, which the subject reads itself. */
function headsBefore<D>(subject: Subject, data: (json: JsonBytes) => D | undefined): EnvelopeScanner<D> {
  const { reminder: _reminder, data: _data, ...heads } = EnvelopeShape.properties
  return new EnvelopeScanner(subject.name, data, heads)
}
