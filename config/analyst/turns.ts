import { ANALYST_SESSIONS } from '#config/embedded/users.ts'
import { refusal } from '#config/embedded/words.ts'

/**
 * Questions of one organization that run at once, and that may wait; questions of all in the engine at once, and how many of these
 * there may be where an organization asks a second one: the other half is for those who ask none.
 */
const bounds = { atOnce: 2, waiting: 50, asking: ANALYST_SESSIONS, seconds: ANALYST_SESSIONS / 2 }

interface Line {
  /** Turns that are taken, and those of them whose question the engine works on. */
  running: number
  asking: number
  readonly waiting: Set<() => void>
}

/** Lets every organization have a few questions at once, so that none keeps the others waiting. */
export class Turns {
  /** In the order in which they were last served. */
  private readonly lines = new Map<string, Line>()
  /** Questions the engine works on. */
  private asking = 0

  /**
   * A turn is held until `work` is done, its place in the engine until `work` says that the engine is: whether the client is there
   * still does not count.
   * @throws Error in the engine's words when too many wait, or `gone` comes before the turn
   */
  async take<T>(orgId: string, gone: AbortSignal, work: (answered: () => void) => Promise<T>): Promise<T> {
    if (gone.aborted) throw new Error('The client went away.')
    const line = this.lines.get(orgId) ?? { running: 0, asking: 0, waiting: new Set() }
    this.lines.set(orgId, line)
    if (this.mayAsk(line)) this.begin(orgId, line)
    else await this.wait(orgId, line, gone)
    let isAsking = true
    const answered = (): void => {
      if (isAsking) this.asking--
      if (isAsking) line.asking--
      isAsking = false
      this.admit()
    }
    try {
      return await work(answered)
    } finally {
      line.running--
      answered()
      this.drop(orgId, line)
    }
  }

  private mayAsk({ running, asking }: Line): boolean {
    return running < bounds.atOnce && this.asking < (asking === 0 ? bounds.asking : bounds.seconds)
  }

  private begin(orgId: string, line: Line): void {
    line.running++
    line.asking++
    this.asking++
    this.lines.delete(orgId)
    this.lines.set(orgId, line)
  }

  private wait(orgId: string, line: Line, gone: AbortSignal): Promise<void> {
    if (line.waiting.size >= bounds.waiting) throw refusal(202, 'Too many questions of your organization wait.')
    return new Promise((resolve, reject) => {
      line.waiting.add(resolve)
      const leave = (): void => {
        if (!line.waiting.delete(resolve)) return
        this.drop(orgId, line)
        reject(new Error('The client went away.'))
      }
      gone.addEventListener('abort', leave, { once: true })
    })
  }

  /** Those who ask nothing go first, and among them who was served longest ago. */
  private admit(): void {
    for (;;) {
      const ready = [...this.lines].filter(([, line]) => line.waiting.size > 0 && this.mayAsk(line))
      const [orgId, line] = ready.find(([, { asking }]) => asking === 0) ?? ready[0] ?? []
      if (orgId === undefined || line === undefined) return
      const [next] = line.waiting
      line.waiting.delete(next!)
      this.begin(orgId, line)
      next!()
    }
  }

  private drop(orgId: string, line: Line): void {
    if (line.running === 0 && line.waiting.size === 0) this.lines.delete(orgId)
  }
}
