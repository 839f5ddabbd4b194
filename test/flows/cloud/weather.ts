/** What befalls questions to a stand-in of a cloud on their way, and what was asked, befallen or not. */
import { chance } from '#streams/cloud/simulated/world/prng.ts'

interface Question {
  method: string
  path: string
  query: URLSearchParams | Readonly<Record<string, string>>
}
interface Answer {
  status?: number
  isLost?: boolean
}

/** `lost`: it was done, and nobody heard of it. `away`: nothing answers there. */
export type Fate = 'answered' | 'throttled' | 'lost' | 'away'

export interface Asked extends Pick<Question, 'method' | 'path'> {
  query: string
  fate: Fate
  /** HTTP; of what was answered. */
  status: number
}

/** A tenth of all questions is put off, and of a tenth the answer is lost. */
export const unsettled = { throttles: 0.1, loses: 0.1 }

/** How a cloud says that it is asked too often, and that it is down. */
export interface Refusals<A> {
  throttled: A
  away: A
}

export class Weather<Q extends Question, A extends Answer> {
  /** Of all answers, 0 to 1, with the same luck in every run. */
  throttles = 0
  loses = 0
  isAway: (question: Q) => boolean = () => false
  /** What is answered instead, where something is. */
  instead: (question: Q) => A | undefined = () => undefined
  readonly asked: Asked[] = []
  private readonly refusals: Refusals<A>
  /** Of questions in such weather. Which of those that change something it befalls must not hang on how often is looked. */
  private readonly count = { changing: 0, reading: 0 }

  constructor(refusals: Refusals<A>) {
    this.refusals = refusals
  }

  calm(): void {
    Object.assign(this, { throttles: 0, loses: 0, isAway: () => false, instead: () => undefined })
  }

  /** `answer` behind the weather. */
  before(answer: (question: Q) => A): (question: Q) => A {
    return (question) => {
      const fate = this.fateOf(question)
      const said = this.said(fate, question, answer)
      const { method, path, query } = question
      this.asked.push({ method, path, query: String(new URLSearchParams(query)), fate, status: said.status ?? 200 })
      return fate === 'lost' ? { ...said, isLost: true } : said
    }
  }

  /** Questions from the first of these on that change something. */
  changes(from = 0): Asked[] {
    return this.asked.slice(from).filter(isChanging)
  }

  /**
   * Questions from the first of these on that repeat one which was put off or went nowhere. What was asked several times
   * before them, in calm weather, is asked so often for reasons of its own.
   */
  repeats(from: number): number {
    const asked = this.asked.slice(from)
    const calm = this.asked.slice(0, from)
    return asked.filter((one, at) => {
      const before = asked.slice(0, at).filter((other) => isSame(other, one))
      const inCalm = calm.filter((other) => isSame(other, one))
      return before.length >= Math.max(1, inCalm.length) && before.at(-1)!.fate !== 'answered'
    }).length
  }

  private said(fate: Fate, question: Q, answer: (question: Q) => A): A {
    if (fate === 'away' || fate === 'throttled') return this.refusals[fate]
    return this.instead(question) ?? answer(question)
  }

  private fateOf(question: Q): Fate {
    if (this.isAway(question)) return 'away'
    if (this.throttles + this.loses === 0) return 'answered'
    const kind = isChanging(question) ? 'changing' : 'reading'
    const drawn = chance('wind', kind, this.count[kind]++)
    if (drawn < this.throttles) return 'throttled'
    return drawn < this.throttles + this.loses ? 'lost' : 'answered'
  }
}

/** What is posted and changes nothing. */
const posted = /:testIamPermissions$|\/getStatus$|\/metrics:getBatch$|\/listClusterUserCredential$/

const isChanging = ({ method, path }: Pick<Question, 'method' | 'path'>): boolean =>
  method !== 'GET' && !posted.test(path)

const isSame = (one: Asked, other: Asked): boolean =>
  one.method === other.method && one.path === other.path && one.query === other.query
