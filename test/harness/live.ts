/** A client of the stream of events. */
import { get, type IncomingMessage } from 'node:http'
import { until } from '#test/harness/toy.ts'

/** What happens at once happens within so many milliseconds, however busy the machine is; how soon it is usually, `bench freshness` shows. */
export const soonMs = 15_000

export interface Heard {
  event: string
  data: any
  /** When it came, milliseconds of `performance.now()`. */
  at: number
}

export interface Listening {
  answer: IncomingMessage
  /** Everything that came, as text. */
  readonly text: string
  readonly heard: readonly Heard[]
  readonly isOver: boolean
  /** The first event of the name that fits, once it has come. */
  next(event: string, fits?: (data: any) => boolean): Promise<Heard>
  stop(): void
}

/** Opens a stream; resolves once it is ready. */
export async function listen(url: string, token: string, headers: Record<string, string> = {}): Promise<Listening> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const asked = get(
      `${url}/events/stream`,
      { agent: false, headers: { Authorization: `Bearer ${token}`, ...headers } },
      resolve,
    )
    asked.once('error', reject)
  })
  if (answer.statusCode !== 200) {
    const body = Buffer.concat(await Array.fromAsync(answer)).toString()
    throw new Error(`${answer.statusCode} ${(JSON.parse(body) as { code: string }).code}`)
  }
  const all = new Stream(answer)
  await all.next('ready')
  return all
}

class Stream implements Listening {
  readonly answer: IncomingMessage
  readonly heard: Heard[] = []
  text = ''
  isOver = false
  private rest = ''

  constructor(answer: IncomingMessage) {
    this.answer = answer
    answer.setEncoding('utf8')
    answer.on('data', (text: string) => this.take(text))
    answer.on('close', () => (this.isOver = true))
    answer.on('error', () => {})
  }

  async next(event: string, fits: (data: any) => boolean = () => true): Promise<Heard> {
    const found = () => this.heard.find((one) => one.event === event && fits(one.data))
    await until(`the event ${event}`, async () => found() !== undefined)
    return found()!
  }

  stop(): void {
    this.answer.destroy()
  }

  private take(text: string): void {
    this.text += text
    const parts = (this.rest + text).split('\n\n')
    this.rest = parts.pop()!
    for (const part of parts) {
      const [, event, data] = /^event: (.*)\ndata: (.*)$/.exec(part) ?? []
      if (event !== undefined) this.heard.push({ event, data: JSON.parse(data!), at: performance.now() })
    }
  }
}
