/** What a lane needs to run, and its limits. */
import type { Batch } from '#engine/lane/commit/draft.ts'
import type { ClosedOrganizations } from '#engine/lane/message/closed-organizations.ts'
import type { PlainReads } from '#engine/lane/plain-reads.ts'
import type { TurnGate } from '#engine/lane/turn-gate.ts'
import type { QuotaLimits } from '#engine/lane/quota.ts'
import type { ParkingTools } from '#engine/lane/message/parking.ts'
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
  /** Of the process, shared by all its lanes. */
  plain: PlainReads
  clock: Clock
  /** Milliseconds that the test hooks add to the broker's time. */
  shift: () => number
  gate: TurnGate
  /** Of the process, shared by all its lanes. */
  closed: ClosedOrganizations
  /** Stores messages whose facts cannot be written; default: the lane waits. */
  parking?: ParkingTools | undefined
  meter: Meter
  report: Reporter
  limits: LaneLimits
  point: (name: CrashPoint) => void
  /** The id of a dead letter as its organization sees it; default: its internal id. */
  letterName?: ((id: string) => string) | undefined
  /** Whether a newer version runs on these stores. */
  isOutdated: () => Promise<boolean>
  /** Called after each commit: wakes up projections. */
  committed: (batch: Batch) => void
}

export interface LaneLimits {
  /** Maximum messages of a batch. */
  countMax: number
  /** Maximum bytes of a batch's messages. */
  bytesMax: number
  /** How long a batch waits for its first message, milliseconds. */
  waitMs: number
  /** Maximum actor rows in the memory of a lane. */
  activationsMax: number
  /** Maximum keys whose last content a lane remembers to recognize echoes; default: none, and all messages are read. */
  echoesMax?: number
  /** Milliseconds without a message after which an actor is passivated. */
  idleMs: number
  /** How many committed messages a lane's stream keeps. */
  keepMessages: number
  /** Limits of one organization's producers per lane; default: none. */
  quota?: QuotaLimits
}
