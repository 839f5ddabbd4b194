/**
 * One resource of a cloud without sockets: it shows what it is before a change, on the way and after it, takes the change
 * once, and answers a second request for it as the cloud does. Calls go through a real caller on a virtual clock.
 */
import { Fault } from '#engine/value/fault.ts'
import { Caller } from '#streams/cloud/call/call.ts'
import { bucketOf, type ActionOutcome, type CloudAction } from '#streams/cloud/connector.ts'
import { VirtualClock } from '#test/streams/cloud/virtual-clock.ts'

type Phase = 'before' | 'moving' | 'after'

/** What a request is answered; an Error is thrown as the cloud's client throws it. */
type Answers = readonly [before: unknown, moving: unknown, after: unknown]

export interface FarType {
  /** The action that is asked for; its id and resource are added. */
  action: Omit<CloudAction, 'id' | 'resource'>
  resourceUid: string
  /** The request that makes the change. */
  change: string
  /** What the change is answered, and a second request for it. */
  taken: unknown
  again: unknown
  /** Answers to looks. The first entry brings a change nearer to its end: of several requests of one look, the last. */
  looks: Readonly<Record<string, Answers>>
}

/** Errors as the clients of a cloud throw them. */
export interface CloudErrors {
  lost: () => Error
  throttled: () => Error
  denied: () => Error
}

export type Situation =
  | 'answered'
  | 'answer lost after it was taken'
  | 'request lost before it was taken'
  | 'throttled, then fine'
  | 'refused for a missing permission'
  | 'slow'
  | 'sent twice'
  | 'never answered'

export class FarResource {
  readonly caller: Caller
  /** How often the change took place. */
  effects = 0
  private phase: Phase = 'before'
  private left: number
  private requests = 0
  private readonly type: FarType
  private readonly situation: Situation
  private readonly errors: CloudErrors

  constructor(type: FarType, situation: Situation, errors: CloudErrors) {
    this.type = type
    this.situation = situation
    this.errors = errors
    this.left = situation === 'slow' ? 3 : 1
    this.caller = new Caller({
      clock: new VirtualClock(),
      meter: { made: () => {} },
      random: () => 0.5,
      rules: { tries: 2, perSecond: 10_000, burst: 10_000 },
    })
  }

  /** @throws what the cloud's client would */
  readonly answer = (request: string): unknown => {
    const answer = request === this.type.change ? this.changed() : this.shown(request)
    if (answer instanceof Error) throw answer
    return answer
  }

  private shown(request: string): unknown {
    const answers = this.type.looks[request]
    if (!answers) throw new Error(`unexpected request: ${request}`)
    const answer = answers[['before', 'moving', 'after'].indexOf(this.phase)]
    const isMain = request === Object.keys(this.type.looks)[0]
    if (isMain && this.phase === 'moving' && --this.left === 0) this.phase = 'after'
    return answer
  }

  private changed(): unknown {
    const { lost, throttled, denied } = this.errors
    const isFirst = this.requests++ === 0
    if (this.situation === 'refused for a missing permission') return denied()
    if (isFirst && this.situation === 'throttled, then fine') return throttled()
    if (isFirst && this.situation === 'request lost before it was taken') return lost()
    const answer = this.take()
    if (this.situation === 'never answered') return lost()
    return isFirst && this.situation === 'answer lost after it was taken' ? lost() : answer
  }

  private take(): unknown {
    if (this.phase !== 'before') return this.type.again
    this.phase = 'moving'
    this.effects++
    return this.type.taken
  }
}

/** Outcomes of all requests of the action, and how often the change took place: `running stopping, succeeded stopped: 1`. */
export async function outcomesOf(
  far: FarResource,
  situation: Situation,
  act: () => Promise<ActionOutcome>,
): Promise<string> {
  const outcomes: string[] = []
  const requests = situation === 'slow' ? 4 : situation === 'sent twice' ? 2 : 1
  while (outcomes.length < requests) outcomes.push(await outcomeOf(act()))
  return `${outcomes.join(', ')}: ${far.effects}`
}

const outcomeOf = (acted: Promise<ActionOutcome>): Promise<string> =>
  acted.then(
    ({ status, observedState }) => (observedState === undefined ? status : `${status} ${observedState}`),
    (error: unknown) => `${bucketOf(error)} ${error instanceof Fault ? error.code : String(error)}`,
  )
