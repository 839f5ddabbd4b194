/** Messages whose data is read only when needed. */
import type { Address } from '#engine/actor/address.ts'
import type { Message, Print, MessageRefusal } from './message.ts'
import type { LogMessage } from '#engine/actor/ports.ts'
import type { EchoPlan, Receiver } from '#engine/actor/registry.ts'
import type { Envelope, Subject } from '#engine/actor/subject.ts'

/** The last known content for a key. */
export interface KnownContent {
  readonly id: string
  readonly plan: EchoPlan
  /** The actor of the leading kind. */
  readonly leaderId: string
  readonly hash: string
  /** Milliseconds since 1970: older messages are ignored. */
  time: number
  /** The inputs of each following kind, in the order of the plan. */
  readonly on: readonly unknown[]
  /** Its generation. */
  era: number
  /** Another message about the key has arrived since, or it is no longer remembered. */
  isVoid: boolean
}

export const echoId = ({ orgId, place, key }: Address): string => `${orgId}\0${place}\0${key}`

/** A message that repeats what was sent before for its key. Anyone who reads it gets its original content. */
export class EchoMessage implements Message {
  readonly log: LogMessage
  readonly index: number
  readonly time: number
  readonly subject: Subject
  readonly receivers: readonly Receiver[]
  readonly print: Print
  readonly known: KnownContent
  readonly #whole: () => readonly (Message | MessageRefusal)[]

  constructor(
    told: Pick<Message, 'log' | 'index' | 'time'> & { print: Print; known: KnownContent },
    whole: () => readonly (Message | MessageRefusal)[],
  ) {
    this.log = told.log
    this.index = told.index
    this.time = told.time
    this.subject = told.known.plan.subject
    this.receivers = told.known.plan.receivers
    this.print = told.print
    this.known = told.known
    this.#whole = whole
  }

  get orgId(): string {
    return this.print.address.orgId
  }

  get place(): string {
    return this.print.address.place
  }

  get envelope(): Envelope {
    return (this.#whole()[this.index] as Message).envelope
  }
}
