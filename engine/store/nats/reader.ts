/**
 * Reads one lane's stream with its own pull requests. Each asks for more bytes than the largest message, and the next
 * one is sent as soon as the server ends the previous one, so a large message after small ones never waits.
 */
import { createInbox, type Msg, type NatsConnection, type Subscription } from '@nats-io/transport-node'
import { ReaderLapsed, type LogMessage, type LogReader } from '#engine/actor/ports.ts'
import { inboxPrefix } from '#engine/actor/subject.ts'

/** Bytes of one pull: more than the largest message that the embedded server accepts (8 MB). */
const pullBytes = 16 * 1024 * 1024
/** Maximum bytes of a pull for a server that accepts larger messages. */
const pullBytesMax = 256 * 1024 * 1024
/** Messages of one pull. */
const pullMessages = 10_000
/** Bytes in memory for the lane above which no more are requested. */
const heldBytesMax = 16 * 1024 * 1024
/** How long a pull waits for messages, milliseconds. */
const pullMs = 30_000
/** How often the server confirms that a pull still waits, milliseconds. */
const heartbeatMs = 5000
/** Number of heartbeats that may be missing: one may be unread while the event loop is busy. */
const silenceMax = 3
/** How long a batch with its first message waits for more, milliseconds. */
const lingerMs = 4

/** Status 409: the next message does not fit into the rest of the pull, or nothing is left of it. */
const isTooLarge = /exceeds maxbytes/i
const isFilled = /exceeds maxbytes|batch completed/i

export interface PullConsumer {
  stream: string
  /** The consumer's name; only this reader uses it, and it acknowledges nothing. */
  consumer: string
  /** Deletes the consumer. */
  end: () => Promise<unknown>
}

export class NatsReader implements LogReader {
  private readonly connection: NatsConnection
  private readonly pulled: PullConsumer
  private readonly inbox: string
  private readonly subscription: Subscription
  private readonly watch: NodeJS.Timeout
  private queue: LogMessage[] = []
  private bytes = 0
  /**
   * The latest pull: its number, what it asked for and what has arrived. It is over when the server says so, or
   * everything has arrived.
   */
  private pull = { number: 0, bytes: pullBytes, count: 0, isOver: true }
  private delivered = 0
  private last = 0
  private silence = 0
  private failure: Error | undefined
  private wake: () => void = () => {}
  private closed = false
  private ending: Promise<void> | undefined

  constructor(connection: NatsConnection, pulled: PullConsumer) {
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
    // Statuses of an older pull are ignored: this one was sent because that one had ended.
    else if (message.subject.endsWith(`.${this.pull.number}`)) this.told(message)
  }

  /** Checks that nothing is missing: a consumer numbers its deliveries without gaps. */
  private deliver(message: Msg): void {
    if (this.failure || this.closed) return
    const { delivery, seq, at } = placeOf(message.reply!)
    if (delivery !== this.delivered + 1 || seq <= this.last) {
      const from = `deliveries skip from ${this.delivered} to ${delivery}, sequences from ${this.last} to ${seq}`
      return this.fail(new Error(from))
    }
    this.delivered = delivery
    this.last = seq
    this.queue.push(toLogMessage(message, seq, at))
    this.bytes += message.data.length
    if (++this.pull.count === pullMessages) this.over()
    this.wake()
  }

  /** A status of the current pull: https://docs.nats.io/reference/reference-protocols/nats_api_reference */
  private told({ headers }: Msg): void {
    const { code = 0, description = '' } = headers ?? {}
    if (code === 100) return
    if (isTooLarge.test(description) && this.pull.count === 0) return this.askForMore()
    if ([404, 408].includes(code) || isFilled.test(description)) return this.over()
    if (code === 400) return this.fail(new Error(`the server rejected the pull request: ${description}`))
    this.fail(new ReaderLapsed(code === 503 ? 'the consumer no longer exists' : description.toLowerCase()))
  }

  /** A single message is larger than was asked for. */
  private askForMore(): void {
    if (this.pull.bytes >= pullBytesMax) return this.fail(new Error(`a message is larger than ${pullBytesMax} bytes`))
    this.pull.bytes *= 2
    this.over()
  }

  private over(): void {
    this.pull.isOver = true
    this.ask()
  }

  /** While a pull waits, the server sends heartbeats: silence means that it has forgotten the pull. */
  private listen(): void {
    if (!this.pull.isOver && ++this.silence >= silenceMax) this.fail(new ReaderLapsed('the server stopped responding'))
  }

  /** Ends the reader: received messages are still returned, then `next` throws. */
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

  /** Received messages are dropped; calling it again waits for the same end. */
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
 * Parses the reply subject of a delivery,
 * `$JS.ACK.[domain.account.]stream.consumer.tries.seq.delivery.nanoseconds.pending`: the newer form has two more tokens
 * in front, and a random one at the end.
 */
function placeOf(reply: string): { delivery: number; seq: number; at: number } {
  const tokens = reply.split('.')
  const from = tokens.length > 9 ? 7 : 5
  const [seq, delivery, nanoseconds] = tokens.slice(from, from + 3).map(Number)
  return { seq: seq!, delivery: delivery!, at: Math.floor(nanoseconds! / 1e6) }
}

/** `lane.<n>.<kind>.<org>.<place>` becomes `<kind>.<org>.<place>`. */
function toLogMessage({ headers, subject, data }: Msg, seq: number, at: number): LogMessage {
  const given: Record<string, string> = {}
  for (const name of headers?.keys() ?? []) given[name] = headers!.get(name)
  return { seq, subject: subject.split('.').slice(2).join('.'), headers: given, body: data, at }
}
