import type { MetadataStorage } from '@mikro-orm/core'
import type { Actor, Reaction } from '#engine/actor.ts'
import { rowShape, type RowShape } from '#engine/row.ts'
import { EnvelopeScanner } from '#engine/scan/envelope.ts'
import { decoder } from '#engine/schema.ts'
import { EnvelopeShape, type Subject } from '#engine/subject.ts'

/** One actor kind that reacts to a subject. */
export interface Receiver {
  actor: Actor
  reaction: Reaction<object>
}

/** Every subject and actor kind of the product, ready for lanes to look up. */
export interface Registry {
  actors: ReadonlyMap<string, Actor>
  shapes: ReadonlyMap<string, RowShape>
  subjects: ReadonlyMap<
    string,
    { subject: Subject; decode: (data: unknown) => unknown; receivers: readonly Receiver[] }
  >
  /** By the kind of their subject: who reads messages from their bytes. */
  scanners: ReadonlyMap<string, EnvelopeScanner>
}

/** @throws when two actor kinds or two subjects share a name. */
export function registry(actors: readonly Actor[], subjects: readonly Subject[], metadata: MetadataStorage): Registry {
  const known = new Map<string, { subject: Subject; decode: (data: unknown) => unknown; receivers: Receiver[] }>()
  for (const subject of subjects) {
    if (known.has(subject.name)) throw new Error(`subject ${subject.name} is declared twice`)
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
  const scanners = new Map(scanned.map((subject) => [subject.kind, scannerOf(subject)]))
  return { actors: kinds, shapes, subjects: known, scanners }
}

/** Of reminders, which no producer sends, and of data, which the subject reads itself, a scanner knows nothing. */
function scannerOf(subject: Subject): EnvelopeScanner {
  const { reminder: _reminder, data: _data, ...heads } = EnvelopeShape.properties
  return new EnvelopeScanner(subject.name, subject.scan!, heads)
}
