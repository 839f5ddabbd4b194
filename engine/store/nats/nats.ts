/**
 * The log on NATS JetStream: one file-backed stream per lane, filled by the server's own partition mapping. A lane is
 * read through an ephemeral consumer that acknowledges nothing: the lane's cursor says what is done.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import {
  AckPolicy,
  DeliverPolicy,
  DiscardPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type JetStreamManager,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream'
import { headers as natsHeaders, type NatsConnection } from '@nats-io/transport-node'
import { Fault } from '#engine/value/fault.ts'
import { countSubjects, purgeSubjects, subjectsOf } from './organization.ts'
import { StreamPublisher } from './publish.ts'
import { NatsReader } from './reader.ts'
import { asReplicaFault } from './replicas.ts'
import { outlets, streamOf } from './stream.ts'
import { ReaderLapsed, type Log, type LogReader, type Publication, type PublishAck } from '#engine/actor/ports.ts'

export interface StreamLimits {
  /** Maximum bytes of a lane's stream; a full one refuses publishes and drops nothing. */
  laneBytesMax: number
  /** Servers of the cluster that store each stream. Undefined: one for new streams, and existing ones stay as they are. */
  replicas?: number | undefined
  /** What each lane has committed: a stream that is created again continues after it. */
  cursors?: ReadonlyMap<number, number>
  /** The installation that owns the streams, stored in their description. */
  owner?: string
}

/** Whether a lane that has committed up to `cursor` finds the next message. */
export const goesOn = ({ first, last }: Bounds, cursor: number): boolean => cursor <= last && first <= cursor + 1

/** A durable consumer of an outlet: programs fetch from it and acknowledge. */
export interface Consumer {
  stream: string
  name: string
  /** The subjects it gets. */
  filter: string
  /** Whether it gets messages stored before it was created. */
  fromBeginning: boolean
}

/** First and last sequence in a lane's stream; an empty one has a last before its first. */
export interface Bounds {
  first: number
  last: number
}

/**
 * How long the server itself drops repeats of a `Nats-Msg-Id`, nanoseconds. It knows ids by stream and not by
 * organization, so a lane has the minimum, and our messages to lanes have no id there: every message is identified by
 * its content.
 */
const duplicateNs = { lane: 100e6, outlet: 120e9 }
const descriptionOf = (owner: string | undefined) => owner && `Tidemark ${owner}`
const ownerIn = /^Tidemark (\S+)$/
/** A stream that was created at a sequence of its own, or with other settings than now. */
const isOutdated = ({ config }: StreamInfo, wanted: Partial<StreamConfig>): boolean =>
  (config.first_seq ?? 0) > 0 ||
  Object.entries(wanted).some(([name, value]) => !isDeepStrictEqual(config[name as keyof StreamConfig], value))
const publishMs = 5000

/**
 * The lane of a place as servers choose it by `partition(lanes, org, place)`: 32 bits of FNV-1a of both tokens. Checked
 * at every start.
 */
function partition(org: string, place: string, lanes: number): number {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(org + place)) hash = Math.imul(hash ^ byte, 0x01000193)
  return (hash >>> 0) % lanes
}

/** How long these errors may last while a server reloads its accounts, by name, and when to try again, milliseconds. */
const reloadMs: Readonly<Record<string, number>> = { JetStreamNotEnabled: 10_000, AuthorizationError: 2000 }
const reloadPauseMs = 50

/**
 * Runs `work`, and runs it again if the server is reloading its accounts: it then briefly knows no streams, or no user.
 */
export async function behindReload<T>(work: () => Promise<T>): Promise<T> {
  const began = performance.now()
  for (;;) {
    try {
      return await work()
    } catch (error) {
      const most = reloadMs[(error as Error).name] ?? 0
      if (performance.now() - began >= most) throw error
      await sleep(reloadPauseMs)
    }
  }
}

export class NatsLog implements Log {
  private readonly connection: NatsConnection
  private readonly publisher: StreamPublisher
  private readonly manager: JetStreamManager
  /** Number of lanes as observed in the server's mapping; 0 while unknown. */
  private lanes = 0

  private readonly readers = new Set<NatsReader>()

  private constructor(connection: NatsConnection, manager: JetStreamManager) {
    this.connection = connection
    this.publisher = new StreamPublisher(connection, publishMs)
    this.manager = manager
    this.watch().catch(() => {})
  }

  /** A server that was unavailable may have forgotten the consumers: every reader is opened again from its cursor. */
  private async watch(): Promise<void> {
    for await (const { type } of this.connection.status()) {
      if (type === 'reconnect')
        for (const reader of this.readers) reader.fail(new ReaderLapsed('the server was unavailable'))
    }
  }

  static async open(connection: NatsConnection): Promise<NatsLog> {
    return new NatsLog(connection, await behindReload(() => jetstreamManager(connection, { timeout: publishMs })))
  }

  /**
   * Creates missing streams, which continue after their lanes' cursors.
   * @throws Fault if the server does not map `ingest.*.*.*` to `lanes` lanes.
   */
  async createStreams(lanes: number, limits: StreamLimits): Promise<void> {
    const description = descriptionOf(limits.owner)
    const own = { ...(description !== undefined && { description }) }
    const lane = { ...own, duplicate_window: duplicateNs.lane }
    for (let n = 0; n < lanes; n++) {
      const made = { subjects: [`lane.${n}.>`], discard: DiscardPolicy.New, max_bytes: limits.laneBytesMax }
      await this.createStream(streamOf(n), lane, made, limits)
      await this.followCursor(streamOf(n), limits.cursors?.get(n))
    }
    for (const { name, subjects, bytesMax, ageNs, isRefusing } of outlets) {
      const kept = {
        subjects,
        ...(bytesMax && { max_bytes: bytesMax }),
        ...(ageNs && { max_age: ageNs }),
        ...(isRefusing && { discard: DiscardPolicy.New }),
      }
      const made = { discard: DiscardPolicy.Old, max_bytes: limits.laneBytesMax }
      await this.createStream(name, { ...own, ...kept, duplicate_window: duplicateNs.outlet }, made, limits)
    }
    await this.checkMapping(lanes)
  }

  /** `wanted` also applies to an existing stream; `made` only to a new one. */
  private async createStream(
    name: string,
    wanted: Partial<StreamConfig>,
    made: Partial<StreamConfig>,
    { replicas }: StreamLimits,
  ): Promise<void> {
    const found = await this.stream(name)
    const fixed = { retention: RetentionPolicy.Limits, storage: StorageType.File, num_replicas: replicas ?? 1 }
    const kept = { ...wanted, ...(replicas !== undefined && { num_replicas: replicas }) }
    try {
      if (!found) await behindReload(() => this.manager.streams.add({ ...fixed, ...made, ...wanted, name }))
      else if (isOutdated(found, kept)) {
        await behindReload(() => this.manager.streams.update(name, { ...found.config, first_seq: 0, ...kept }))
      }
    } catch (error) {
      throw asReplicaFault(error, name, replicas)
    }
  }

  /** A lane's stream that lost messages its lane has committed continues after them. */
  private async followCursor(name: string, cursor = 0): Promise<void> {
    const { state } = await this.info(name)
    if (state.last_seq < cursor && state.messages === 0) await this.goOnBehind(name, cursor)
  }

  /** Drops all messages of a lane's stream, which are committed, so that it continues after the lane's cursor. */
  async moveBehind(lane: number, cursor: number): Promise<void> {
    await this.goOnBehind(streamOf(lane), cursor)
  }

  /**
   * A stream created with its own first sequence loses its messages when the server restarts (2.10.27); a purged one
   * does not.
   */
  private async goOnBehind(name: string, behind: number): Promise<void> {
    await behindReload(() => this.manager.streams.purge(name, { seq: behind + 1 }))
    const { state } = await this.info(name)
    if (state.last_seq !== behind) throw new Error(`${name} ends at sequence ${state.last_seq}, expected ${behind}`)
  }

  private info(name: string): Promise<StreamInfo> {
    return behindReload(() => this.manager.streams.info(name))
  }

  private stream(name: string): Promise<StreamInfo | undefined> {
    return this.info(name).catch((error: unknown) => {
      if (error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound) return undefined
      throw error
    })
  }

  /**
   * The owner that was passed to `createStreams`; undefined if there are no streams, or they do not name one. One
   * stream may be missing.
   */
  async owner(): Promise<string | undefined> {
    for (const name of ['EVENTS', 'DEAD', streamOf(0)]) {
      const found = await this.stream(name)
      const owner = ownerIn.exec(found?.config.description ?? '')?.[1]
      if (owner !== undefined) return owner
    }
    return undefined
  }

  /** Producers publish on `ingest.<kind>.<org>.<place>`: the account's mapping must distribute that over all lanes. */
  private async checkMapping(lanes: number): Promise<void> {
    const seen = this.connection.subscribe('lane.*.probe.>')
    const wanted = new Set(Array.from({ length: lanes }, (_, lane) => String(lane)))
    const beyond: string[] = []
    let isOurs = true
    const listening = (async () => {
      for await (const { subject } of seen) {
        const [, lane = '', , org = '', place = ''] = subject.split('.')
        isOurs &&= partition(org, place, lanes) === Number(lane)
        if (!wanted.delete(lane) && Number(lane) >= lanes) beyond.push(lane)
      }
    })()
    // The streams refuse messages that expect another stream, so the probes are visible here and stored nowhere.
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
    this.lanes = isOurs ? lanes : 0
  }

  laneOf(org: string, place: string): number | undefined {
    return this.lanes === 0 ? undefined : partition(org, place, this.lanes)
  }

  /**
   * Creates missing consumers, and deletes those of `ours`, by name, that are not wanted. Others belong to the
   * operator.
   */
  async keepConsumers(wanted: readonly Consumer[], ours: RegExp): Promise<void> {
    await behindReload(() => this.makeConsumers(wanted, ours))
  }

  private async makeConsumers(wanted: readonly Consumer[], ours: RegExp): Promise<void> {
    for (const { name: stream } of outlets) {
      const missing = new Map(wanted.filter((one) => one.stream === stream).map((one) => [one.name, one]))
      for await (const { name } of this.manager.consumers.list(stream))
        if (!missing.delete(name) && ours.test(name)) await this.manager.consumers.delete(stream, name)
      for (const { name, filter, fromBeginning } of missing.values()) {
        await this.manager.consumers.add(stream, {
          durable_name: name,
          filter_subject: filter,
          ack_policy: AckPolicy.Explicit,
          deliver_policy: fromBeginning ? DeliverPolicy.All : DeliverPolicy.New,
        })
      }
    }
  }

  async bounds(lane: number): Promise<Bounds> {
    const { state } = await this.info(streamOf(lane))
    return { first: state.first_seq, last: state.last_seq }
  }

  /** @throws Fault if the stream does not have the next message: reading on would silently skip messages. */
  private async checkPosition(lane: number, from: number): Promise<void> {
    const bounds = await this.bounds(lane)
    if (goesOn(bounds, from - 1)) return
    throw Fault.refused(
      'stream_position',
      `The lane continues at sequence ${from}, but ${streamOf(lane)} has ${bounds.first} to ${bounds.last}: a database was restored or emptied. See docs/back-up.md, Restore.`,
    )
  }

  async read(lane: number, from: number): Promise<LogReader> {
    await this.checkPosition(lane, from)
    const wanted = {
      ack_policy: AckPolicy.None,
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: from,
      inactive_threshold: 60e9,
      mem_storage: true,
    }
    const info = await behindReload(() => this.manager.consumers.add(streamOf(lane), wanted))
    const reader: NatsReader = new NatsReader(this.connection, {
      stream: streamOf(lane),
      consumer: info.name,
      end: async () => {
        this.readers.delete(reader)
        await this.manager.consumers.delete(streamOf(lane), info.name).catch(() => false)
      },
    })
    this.readers.add(reader)
    return reader
  }

  async publish({ subject, id, headers = {}, body }: Publication): Promise<PublishAck> {
    const isIngest = subject.startsWith('ingest.')
    const all = Object.entries(isIngest ? headers : { ...headers, 'Nats-Msg-Id': id })
    const given = all.length === 0 ? undefined : natsHeaders()
    for (const [name, value] of all) given!.set(name, value)
    const { stream, seq, duplicate } = await this.publisher.publish(subject, body, given)
    const lane = /^LANE-(\d+)$/.exec(stream)?.[1]
    return { lane: lane === undefined ? undefined : Number(lane), seq, ...(duplicate && { isRepeat: true }) }
  }

  answer(inbox: string, body: string): void {
    this.connection.publish(inbox, body)
  }

  /**
   * Names of streams of which a server of the cluster has no current copy: losing another server may stop them. Each is
   * asked by itself, because a list waits for servers that are away.
   */
  async lackingCopies(lanes: number): Promise<string[]> {
    const names = [...Array.from({ length: lanes }, (_, lane) => streamOf(lane)), ...outlets.map(({ name }) => name)]
    const lacking = await Promise.all(
      names.map(async (name) => {
        const found = await this.info(name).catch(() => undefined)
        const copies = found?.cluster?.replicas?.filter(({ current, offline }) => current && !offline) ?? []
        return found === undefined || copies.length < found.config.num_replicas - 1
      }),
    )
    return names.filter((_, n) => lacking[n])
  }

  /** Bytes that the streams of this account use on the disk, of all servers that store them. */
  async storageBytes(): Promise<number> {
    return (await behindReload(() => this.manager.getAccountInfo())).storage
  }

  async last(lane: number): Promise<number> {
    return (await this.bounds(lane)).last
  }

  /**
   * The time of an organization's oldest message after a sequence of a lane, by the organization's token; milliseconds
   * since 1970.
   */
  async oldestBehind(lane: number, cursor: number, org: string): Promise<number | undefined> {
    const asked = { seq: cursor + 1, next_by_subj: `lane.${lane}.*.${org}.*` }
    const found = await behindReload(() => this.manager.streams.getMessage(streamOf(lane), asked))
    return found?.time.getTime()
  }

  /** Deletes an organization's messages from the streams, by its token; from lanes only committed ones. */
  async purgeOrganization(org: string, cursors: ReadonlyMap<number, number>): Promise<void> {
    for (const of of subjectsOf(org, cursors)) await behindReload(() => purgeSubjects(this.manager, of))
  }

  /** Number of an organization's messages by stream. Streams without any are left out. */
  async messagesOf(org: string, cursors: ReadonlyMap<number, number>): Promise<Map<string, number>> {
    const found = new Map<string, number>()
    for (const of of subjectsOf(org, cursors)) {
      const count = await behindReload(() => countSubjects(this.manager, of))
      if (count > 0) found.set(of.stream, count)
    }
    return found
  }

  async trim(lane: number, cursor: number, keep: number): Promise<void> {
    const { config, state } = await this.info(streamOf(lane))
    // Only half of the stream is for committed messages; otherwise large messages would fill it before there are `keep`
    // of them.
    const mean = state.bytes / Math.max(1, state.messages)
    const room = config.max_bytes > 0 ? config.max_bytes / 2 / mean - (state.last_seq - cursor) : Infinity
    const from = cursor + 1 - Math.max(0, Math.min(keep, Math.floor(room)))
    if (from > state.first_seq) await behindReload(() => this.manager.streams.purge(streamOf(lane), { seq: from }))
  }
}
