/**
 * The log on NATS JetStream: one file-backed stream a lane, fed by the server's own partition mapping. A lane is read
 * through an ephemeral consumer that acknowledges nothing: what is done is what the lane's cursor says.
 */
import {
  AckPolicy,
  DeliverPolicy,
  DiscardPolicy,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type ConsumerMessages,
  type JetStreamClient,
  type JetStreamManager,
  type JsMsg,
} from '@nats-io/jetstream'
import { headers as natsHeaders, type NatsConnection } from '@nats-io/transport-node'
import { Fault } from '#engine/fault.ts'
import {
  ReaderLapsed,
  type Log,
  type LogMessage,
  type LogReader,
  type Publication,
  type Published,
} from '#engine/ports.ts'

export interface StreamLimits {
  /** Bytes a lane's stream may hold; a full one refuses publishes rather than forget. */
  laneBytesMax: number
  /** Nanoseconds in which the server itself drops repeats of a Nats-Msg-Id. */
  duplicateNs: number
  /** Servers of the cluster that hold a copy of each new stream. */
  replicas?: number
  /** What each lane has committed: a stream made anew goes on behind it. */
  cursors?: ReadonlyMap<number, number>
}

const streamOf = (lane: number): string => `LANE-${lane}`
const publishMs = 5000

export class NatsLog implements Log {
  private readonly connection: NatsConnection
  private readonly js: JetStreamClient
  private readonly manager: JetStreamManager

  private readonly readers = new Set<NatsReader>()

  private constructor(connection: NatsConnection, manager: JetStreamManager) {
    this.connection = connection
    this.js = jetstream(connection, { timeout: publishMs })
    this.manager = manager
    this.watch().catch(() => {})
  }

  /** A server that was away may have forgotten the consumers: every reader is opened anew from its cursor. */
  private async watch(): Promise<void> {
    for await (const { type } of this.connection.status()) {
      if (type === 'reconnect') for (const reader of this.readers) reader.fail(new Error('the server was away'))
    }
  }

  static async open(connection: NatsConnection): Promise<NatsLog> {
    return new NatsLog(connection, await jetstreamManager(connection, { timeout: publishMs }))
  }

  /** Creates what streams are missing. @throws Fault when the server does not map `ingest.*.*.*` to `lanes` lanes. */
  async createStreams(lanes: number, limits: StreamLimits): Promise<void> {
    for (let lane = 0; lane < lanes; lane++) {
      await this.createStream(streamOf(lane), [`lane.${lane}.>`], limits, limits.cursors?.get(lane))
    }
    await this.createStream('EVENTS', ['event.>'], limits)
    await this.createStream('DEAD', ['dead.>'], limits)
    await this.checkMapping(lanes)
  }

  private async createStream(name: string, subjects: string[], limits: StreamLimits, behind = 0): Promise<void> {
    const discard = name.startsWith('LANE') ? DiscardPolicy.New : DiscardPolicy.Old
    const config = {
      name,
      subjects,
      retention: RetentionPolicy.Limits,
      storage: StorageType.File,
      discard,
      max_bytes: limits.laneBytesMax,
      duplicate_window: limits.duplicateNs,
      num_replicas: limits.replicas ?? 1,
      ...(behind > 0 && { first_seq: behind + 1 }),
    }
    const found = await this.manager.streams.info(name).catch(() => undefined)
    if (!found) await this.manager.streams.add(config)
  }

  /** Producers publish on `ingest.<kind>.<org>.<place>`: the account's mapping must spread that over all lanes. */
  private async checkMapping(lanes: number): Promise<void> {
    const seen = this.connection.subscribe('lane.*.probe.>')
    const wanted = new Set(Array.from({ length: lanes }, (_, lane) => String(lane)))
    const beyond: string[] = []
    const listening = (async () => {
      for await (const { subject } of seen) {
        const lane = subject.split('.')[1] ?? ''
        if (!wanted.delete(lane) && Number(lane) >= lanes) beyond.push(lane)
      }
    })()
    // The streams refuse what expects another stream: the probes are seen here and kept nowhere.
    const headers = natsHeaders()
    headers.set('Nats-Expected-Stream', 'none')
    for (let i = 0; i < lanes * 40; i++) this.connection.publish(`ingest.probe.o${i}.p${i % 7}`, '', { headers })
    await this.connection.flush()
    await this.connection.flush()
    seen.unsubscribe()
    await listening
    if (wanted.size === lanes || beyond.length > 0) {
      const line = `"ingest.*.*.*": "lane.{{partition(${lanes},2,3)}}.{{wildcard(1)}}.{{wildcard(2)}}.{{wildcard(3)}}"`
      throw Fault.refused(
        'nats_mapping',
        `The NATS account must map ingest subjects to ${lanes} lanes: mappings = { ${line} }`,
      )
    }
  }

  /** @throws Fault when the stream has not what comes next: read on, messages would be passed over in silence. */
  private async checkPosition(lane: number, from: number): Promise<void> {
    const { first_seq: first, last_seq: last } = (await this.manager.streams.info(streamOf(lane))).state
    if (from <= last + 1 && first <= from) return
    throw Fault.refused(
      'stream_position',
      `The lane goes on at ${from}, but ${streamOf(lane)} holds ${first} to ${last}: a store was restored or emptied. See docs/operating.md, Restore.`,
    )
  }

  async read(lane: number, from: number): Promise<LogReader> {
    await this.checkPosition(lane, from)
    const info = await this.manager.consumers.add(streamOf(lane), {
      ack_policy: AckPolicy.None,
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: from,
      inactive_threshold: 60e9,
      mem_storage: true,
    })
    const consumer = await this.js.consumers.get(streamOf(lane), info.name)
    const messages = await consumer.consume({ max_bytes: readAheadBytes, expires: 30_000, idle_heartbeat: 10_000 })
    const reader: NatsReader = new NatsReader(messages, async () => {
      this.readers.delete(reader)
      await messages.close()
      await this.manager.consumers.delete(streamOf(lane), info.name).catch(() => false)
    })
    this.readers.add(reader)
    return reader
  }

  async publish({ subject, id, headers = {}, body }: Publication): Promise<Published> {
    const given = natsHeaders()
    for (const [name, value] of Object.entries(headers)) given.set(name, value)
    const { stream, seq } = await this.js.publish(subject, body, { msgID: id, headers: given })
    const lane = /^LANE-(\d+)$/.exec(stream)?.[1]
    return { lane: lane === undefined ? undefined : Number(lane), seq }
  }

  answer(inbox: string, body: string): void {
    this.connection.publish(inbox, body)
  }

  async last(lane: number): Promise<number> {
    return (await this.manager.streams.info(streamOf(lane))).state.last_seq
  }

  async trim(lane: number, cursor: number, keep: number): Promise<void> {
    const { config, state } = await this.manager.streams.info(streamOf(lane))
    // Half of the stream is for looking back, else large messages would fill it before there are `keep` of them.
    const mean = state.bytes / Math.max(1, state.messages)
    const room = config.max_bytes > 0 ? config.max_bytes / 2 / mean - (state.last_seq - cursor) : Infinity
    const from = cursor + 1 - Math.max(0, Math.min(keep, Math.floor(room)))
    if (from > state.first_seq) await this.manager.streams.purge(streamOf(lane), { seq: from })
  }
}

/** Bytes a lane asks the server for ahead of its turns: more than one message may have (8 MB), or it would never come. */
const readAheadBytes = 16 * 1024 * 1024
/** Bytes held for the lane before the flow from the server is stopped. */
const heldBytesMax = 16 * 1024 * 1024
/** A batch that has its first message waits this long for more. */
const lingerMs = 4

class NatsReader implements LogReader {
  private readonly messages: ConsumerMessages
  private readonly end: () => Promise<void>
  private queue: LogMessage[] = []
  private bytes = 0
  private failure: Error | undefined
  private wake: () => void = () => {}
  private resume: () => void = () => {}
  private isHeld = false
  private closed = false
  private ending: Promise<void> | undefined

  constructor(messages: ConsumerMessages, end: () => Promise<void>) {
    this.messages = messages
    this.end = end
    this.pump().catch((error: Error) => this.fail(error))
    this.watch().catch(() => {})
  }

  /** Checks that nothing is missing: a consumer of one's own counts its deliveries without a hole. */
  private async pump(): Promise<void> {
    let delivered = 0
    let last = 0
    for await (const message of this.messages) {
      const { deliverySequence, streamSequence } = message.info
      if (deliverySequence !== delivered + 1 || streamSequence <= last) {
        throw new Error(
          `deliveries skip from ${delivered} to ${deliverySequence}, sequences from ${last} to ${streamSequence}`,
        )
      }
      delivered = deliverySequence
      last = streamSequence
      this.queue.push(received(message))
      this.bytes += message.data.length
      this.wake()
      if (this.bytes > heldBytesMax) await this.hold()
    }
    throw new Error('the consumer ended')
  }

  private async hold(): Promise<void> {
    this.isHeld = true
    await new Promise<void>((resolve) => (this.resume = resolve))
    this.isHeld = false
  }

  /**
   * A server that came back has forgotten the consumer: missed heartbeats tell. They are missed, too, while nothing is
   * asked of the server because enough is held; the client would then ask for more and more.
   */
  private async watch(): Promise<void> {
    for await (const status of this.messages.status()) {
      if (status.type === 'heartbeats_missed' && this.isHeld) this.fail(new ReaderLapsed('held for too long'))
      if (
        status.type === 'heartbeats_missed' ||
        status.type === 'consumer_not_found' ||
        status.type === 'stream_not_found'
      ) {
        this.fail(new Error(`the consumer is gone: ${status.type}`))
      }
    }
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
    if (this.bytes <= heldBytesMax) this.resume()
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
    this.resume()
    this.wake()
    return (this.ending ??= this.end())
  }
}

/** `lane.<n>.<kind>.<org>.<place>` becomes `<kind>.<org>.<place>`. */
function received(message: JsMsg): LogMessage {
  const headers: Record<string, string> = {}
  for (const name of message.headers?.keys() ?? []) headers[name] = message.headers!.get(name)
  return {
    seq: message.info.streamSequence,
    subject: message.subject.split('.').slice(2).join('.'),
    headers,
    body: message.data,
    at: Math.floor(message.info.timestampNanos / 1e6),
  }
}
