/** Messages whose data is not read unless somebody asks for it. */
import type { Address } from '#engine/address.ts'
import type { Message, Refusal } from '#engine/lane/message.ts'
import type { LogMessage } from '#engine/ports.ts'
import type { Receiver } from '#engine/registry.ts'
import type { Envelope, Subject } from '#engine/subject.ts'

/** What a message says, and of what. */
export interface Print {
  /** Of its key in its place and organization. */
  id: string
  address: Address
  except: string
  hash: string
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
  readonly #whole: () => readonly (Message | Refusal)[]

  constructor(
    told: Pick<Message, 'log' | 'index' | 'time' | 'subject' | 'receivers'> & { print: Print },
    whole: () => readonly (Message | Refusal)[],
  ) {
    this.log = told.log
    this.index = told.index
    this.time = told.time
    this.subject = told.subject
    this.receivers = told.receivers
    this.print = told.print
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
