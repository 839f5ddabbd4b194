/** What a lane runs with, and its bounds. */
import type { Batch } from '#engine/lane/commit/draft.ts'
import type { ClosedOrganizations } from '#engine/lane/message/closed.ts'
import type { PlainReads } from '#engine/lane/plain.ts'
import type { TurnGate } from '#engine/lane/gate.ts'
import type { QuotaLimits } from '#engine/lane/quota.ts'
import type { Meter } from '#engine/meter.ts'
import type { Clock, FactStore, Log, Reads, StateStore } from '#engine/actor/ports.ts'
import type { Registry } from '#engine/actor/registry.ts'
import type { Reporter } from '#engine/reporter.ts'

/** Named places where a test may kill the process. */
export type CrashPoint =
  | 'after-read'
  | 'after-turns'
  | 'before-facts'
  | 'after-facts'
  | 'before-commit'
  | 'after-commit'
  | 'after-answers'
  | 'relay-published'

export interface LaneTools {
  registry: Registry
  log: Log
  store: StateStore
  facts: FactStore
  reads: Reads
  /** Of the process, for all its lanes. */
  plain: PlainReads
  clock: Clock
  /** Milliseconds that the test hooks add to the broker's time. */
  shift: () => number
  gate: TurnGate
  /** Of the process, for all its lanes. */
  closed: ClosedOrganizations
  meter: Meter
  report: Reporter
  limits: LaneLimits
  point: (name: CrashPoint) => void
  /** What a dead letter is called where its organization reads it; its id unless told. */
  letterName?: ((id: string) => string) | undefined
  /** Whether a newer version runs here. */
  isOutdated: () => Promise<boolean>
  /** Told after each commit: projections wake up by it. */
  committed: (batch: Batch) => void
}

export interface LaneLimits {
  /** Messages of a batch. */
  countMax: number
  /** Bytes of a batch's messages. */
  bytesMax: number
  /** How long a batch waits for its first message, milliseconds. */
  waitMs: number
  /** Actor rows a lane keeps in memory. */
  activationsMax: number
  /** Keys of messages with echoes of which a lane remembers what was said; none unless told, and then all messages are read. */
  echoesMax?: number
  /** Milliseconds without a message after which an actor is passivated. */
  idleMs: number
  /** Committed messages a lane's stream keeps for looking back. */
  keepMessages: number
  /** What the producers of one organization may send through one lane; no limit unless told. */
  quota?: QuotaLimits
}
