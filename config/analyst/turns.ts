import { refusal } from '#config/embedded/words.ts'

/** Questions of one organization that run at once, and that may wait. */
const bounds = { atOnce: 2, waiting: 50 }

interface Line {
  running: number
  readonly waiting: Set<() => void>
}

/** Lets every organization have a few questions at once, so that none keeps the others waiting. */
export class Turns {
  private readonly lines = new Map<string, Line>()

  /** @throws Error in the engine's words when too many wait, or `gone` comes first */
  async take<T>(orgId: string, gone: AbortSignal, work: () => Promise<T>): Promise<T> {
    const line = this.lines.get(orgId) ?? { running: 0, waiting: new Set() }
    this.lines.set(orgId, line)
    if (line.running < bounds.atOnce) line.running++
    else await this.wait(line, gone)
    try {
      return await work()
    } finally {
      const [next] = line.waiting
      if (next) {
        line.waiting.delete(next)
        next()
      } else if (--line.running === 0) this.lines.delete(orgId)
    }
  }

  private wait({ waiting }: Line, gone: AbortSignal): Promise<void> {
    if (waiting.size >= bounds.waiting) throw refusal(202, 'Too many questions of your organization wait.')
    return new Promise((resolve, reject) => {
      waiting.add(resolve)
      gone.addEventListener('abort', () => waiting.delete(resolve) && reject(new Error('The client went away.')))
    })
  }
}
