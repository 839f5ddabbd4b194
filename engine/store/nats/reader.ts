/**
 * Reads one lane's stream by pulls of its own. Each pull asks for more bytes than the largest message has, and the next
 * one is sent the moment the server ends the one before: so a large message behind small ones never waits.
 */
import { createInbox, type Msg, type NatsConnection, type Subscription } from '@nats-io/transport-node'
import { ReaderLapsed, type LogMessage, type LogReader } from '#engine/actor/ports.ts'
import { inboxPrefix } from '#engine/actor/subject.ts'

/** Bytes of one pull: above the largest message the embedded server takes (8 MB). */
const pullBytes = 16 * 1024 * 1024
/** Bytes of a pull for a server that takes larger messages still. */
const pullBytesMax = 256 * 1024 * 1024
/** Messages of one pull. */
const pullMessages = 10_000
/** Bytes held for the lane before no more is asked of the server. */
const heldBytesMax = 16 * 1024 * 1024
/** How long a pull waits for messages, milliseconds. */
const pullMs = 30_000
/** How often the server says that a pull still waits, milliseconds. */
const heartbeatMs = 5000
/** Heartbeats that may fail to come: one may be unread behind a busy event loop. */
const silenceMax = 3
/** A batch that has its first message waits this long for more. */
const lingerMs = 4

/** Of status 409: what comes next does not fit into what is left of the pull, or nothing is left. */
const isTooLarge = /exceeds maxbytes/i
const isFilled = /exceeds maxbytes|batch completed/i

export interface Pulled {
  stream: string
  /** The consumer's name; it is this reader's alone and acknowledges nothing. */
  consumer: string
  /** Deletes the consumer. */
  end: () => Promise<unknown>
}

export class NatsReader implements LogReader {
  private readonly connection: NatsConnection
  private readonly pulled: Pulled
  private readonly inbox: string
  private readonly subscription: Subscription
  private readonly watch: NodeJS.Timeout
  private queue: LogMessage[] = []
  private bytes = 0
  /** The newest pull: its number, what it asked for and what came. It is over when the server says so, or all came. */
  private pull = { number: 0, bytes: pullBytes, count: 0, isOver: true }
  private delivered = 0
  private last = 0
  private silence = 0
  private failure: Error | undefined
  private wake: () => void = () => {}
  private closed = false
  private ending: Promise<void> | undefined

  constructor(connection: NatsConnection, pulled: Pulled) {
    this.connection = connection
    this.pulled = pulled
    this.inbox = createInbox(inboxPrefix)
    this.subscription = connection.subscribe(`${this.inbox}.*`, {
      callback: (error, message) => (error ? this.fail(error) : this.take(message)),
    })
    this.watch = setInterval(() => this.listen(), heartbeatMs)
    this.ask()
  }

  private ask(): void {
    if (this.closed || this.failure || !this.pull.isOver || this.bytes > heldBytesMax) return
    const { stream, consumer } = this.pulled
    this.pull = { number: this.pull.number + 1, bytes: this.pull.bytes, count: 0, isOver: false }
    this.silence = 0
    const wanted = {
      batch: pullMessages,
      max_bytes: this.pull.bytes,
      expires: pullMs * 1e6,
      idle_heartbeat: heartbeatMs * 1e6,
    }
    const subject = `$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`
    try {
      this.connection.publish(subject, JSON.stringify(wanted), { reply: `${this.inbox}.${this.pull.number}` })
    } catch (error) {
      this.fail(error as Error)
    }
  }

  private take(message: Msg): void {
    this.silence = 0
    if (message.reply?.startsWith('$JS.ACK.')) this.deliver(message)
    // What is told of an older pull is no news: this one was sent because that one was over.
    else if (message.subject.endsWith(`.${this.pull.number}`)) this.told(message)
  }

  /** Checks that nothing is missing: a consumer of one's own counts its deliveries without a hole. */
  private deliver(message: Msg): void {
    if (this.failure || this.closed) return
    const { delivery, seq, at } = placeOf(message.reply!)
    if (delivery !== this.delivered + 1 || seq <= this.last) {
      const from = `deliveries skip from ${this.delivered} to ${delivery}, sequences from ${this.last} to ${seq}`
      return this.fail(new Error(from))
    }
    this.delivered = delivery
    this.last = seq
    this.queue.push(received(message, seq, at))
    this.bytes += message.data.length
    if (++this.pull.count === pullMessages) this.over()
    this.wake()
  }

  /** A status of the pull under way: https://docs.nats.io/reference/reference-protocols/nats_api_reference */
  private told({ headers }: Msg): void {
    const { code = 0, description = '' } = headers ?? {}
    if (code === 100) return
    if (isTooLarge.test(description) && this.pull.count === 0) return this.askForMore()
    if ([404, 408].includes(code) || isFilled.test(description)) return this.over()
    if (code === 400) return this.fail(new Error(`the server rejected the pull request: ${description}`))
    this.fail(new ReaderLapsed(code === 503 ? 'the consumer no longer exists' : description.toLowerCase()))
  }

  /** One message alone is more than was asked for. */
  private askForMore(): void {
    if (this.pull.bytes >= pullBytesMax) return this.fail(new Error(`a message is larger than ${pullBytesMax} bytes`))
    this.pull.bytes *= 2
    this.over()
  }

  private over(): void {
    this.pull.isOver = true
    this.ask()
  }

  /** While a pull waits the server says so again and again: silence means that it has forgotten the pull. */
  private listen(): void {
    if (!this.pull.isOver && ++this.silence >= silenceMax) this.fail(new ReaderLapsed('the server stopped responding'))
  }

  /** Ends the reader: what it holds is still handed out, then `next` throws. */
  fail(error: Error): void {
    this.failure ??= error
    this.wake()
  }

  async next(countMax: number, bytesMax: number, waitMs: number): Promise<LogMessage[]> {
    if (this.queue.length === 0) {
      await this.arrival(waitMs)
      if (this.queue.length > 0) await this.linger(countMax)
    }
    if (this.queue.length === 0 && this.failure && !this.closed) throw this.failure
    let bytes = 0
    let count = 0
    while (count < Math.min(countMax, this.queue.length)) {
      bytes += this.queue[count]!.body.length
      if (count > 0 && bytes > bytesMax) break
      count++
    }
    const taken = this.queue.slice(0, count)
    this.queue = this.queue.slice(count)
    for (const { body } of taken) this.bytes -= body.length
    this.ask()
    return taken
  }

  private async arrival(waitMs: number): Promise<void> {
    if (this.failure || this.closed) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.wake = resolve
    const timer = setTimeout(resolve, waitMs)
    await promise
    clearTimeout(timer)
  }

  private async linger(countMax: number): Promise<void> {
    if (this.queue.length < countMax) await new Promise((resolve) => setTimeout(resolve, lingerMs))
  }

  /** What it holds is dropped; asked again, it waits for the same end. */
  close(): Promise<void> {
    this.closed = true
    this.wake()
    return (this.ending ??= (async () => {
      clearInterval(this.watch)
      this.subscription.unsubscribe()
      await this.pulled.end()
    })())
  }
}

/**
 * From the reply subject of a delivery, `$JS.ACK.[domain.account.]stream.consumer.tries.seq.delivery.nanoseconds.pending`:
 * the newer form has two tokens more in front, and a random one at the end.
 */
function placeOf(reply: string): { delivery: number; seq: number; at: number } {
  const tokens = reply.split('.')
  const from = tokens.length > 9 ? 7 : 5
  const [seq, delivery, nanoseconds] = tokens.slice(from, from + 3).map(Number)
  return { seq: seq!, delivery: delivery!, at: Math.floor(nanoseconds! / 1e6) }
}

/** `lane.<n>.<kind>.<org>.<place>` becomes `<kind>.<org>.<place>`. */
function received({ headers, subject, data }: Msg, seq: number, at: number): LogMessage {
  const given: Record<string, string> = {}
  for (const name of headers?.keys() ?? []) given[name] = headers!.get(name)
  return { seq, subject: subject.split('.').slice(2).join('.'), headers: given, body: data, at }
}
