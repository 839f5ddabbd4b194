/** Messages whose data is not read unless somebody asks for it. */
import type { Address } from '#engine/actor/address.ts'
import type { Message, Print, Refusal } from './message.ts'
import type { LogMessage } from '#engine/actor/ports.ts'
import type { EchoPlan, Receiver } from '#engine/actor/registry.ts'
import type { Envelope, Subject } from '#engine/actor/subject.ts'

/** What was said of a key last. */
export interface Known {
  readonly id: string
  readonly plan: EchoPlan
  /** The actor of the leading kind. */
  readonly leaderId: string
  readonly hash: string
  /** Milliseconds since 1970: an older message counts for nothing. */
  time: number
  /** What each following kind went by, in the order of the plan. */
  readonly on: readonly unknown[]
  /** Of which generation it is. */
  era: number
  /** Something else has been told of the key since, or it is not remembered any more. */
  isVoid: boolean
}

export const echoId = ({ orgId, place, key }: Address): string => `${orgId}\0${place}\0${key}`

/** A message that says what was said before of its key. Whoever reads it finds it as it came. */
export class EchoMessage implements Message {
  readonly log: LogMessage
  readonly index: number
  readonly time: number
  readonly subject: Subject
  readonly receivers: readonly Receiver[]
  readonly print: Print
  readonly known: Known
  readonly #whole: () => readonly (Message | Refusal)[]

  constructor(
    told: Pick<Message, 'log' | 'index' | 'time'> & { print: Print; known: Known },
    whole: () => readonly (Message | Refusal)[],
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
