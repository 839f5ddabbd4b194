/** Lines of a known amount sent amid a load, and how long each takes until its lane has committed it and a report holds it. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Publisher } from '#engine/run/publisher.ts'
import type { BillingLine } from '#streams/billing/messages.ts'
import type { Connections } from '#config/state/connect.ts'
import { lineEvent } from './billing-stream.ts'

/** One line on its way; times are milliseconds since its publish began, undefined while it has not come so far. */
export interface Probe {
  /** By `performance.now()`. */
  began: number
  at: { lane: number; seq: number } | undefined
  /** The broker has it on disk. */
  durable?: number
  committed?: number
  visible?: number
}

export interface ProberOptions {
  c: Connections
  publisher: Publisher
  sample: BillingLine
  orgId: string
  /** YYYY-MM-DD. */
  day: string
  /** US dollars the organization's report says. */
  report: () => Promise<number>
  /** Milliseconds between two looks. */
  pollMs: number
}

const probeMs = 250
/** How long after the last probe all must have come. */
export const lateMs = 30_000

/** Probes cost a dollar each and come in order: the n-th is seen once the report says n dollars. */
export class Prober {
  probes: Probe[] = []
  /** Milliseconds each report took. */
  asked: number[] = []
  private readonly options: ProberOptions
  private readonly line: BillingLine
  /** Probes of earlier runs. */
  private before = 0

  constructor(options: ProberOptions) {
    this.options = options
    this.line = { ...options.sample, BilledCost: '1', EffectiveCost: '1', ContractedCost: '1', ListCost: '1' }
  }

  /** Sends four a second, whatever becomes of them, and waits for all. */
  async run(seconds: number): Promise<readonly Probe[]> {
    this.probes = []
    this.asked = []
    const stop = new AbortController()
    const watching = [this.watchCursor(stop.signal), this.watchReport(stop.signal)]
    const sent: Promise<void>[] = []
    for (const began = performance.now(); performance.now() - began < seconds * 1000;) {
      sent.push(this.publish())
      await sleep(Math.max(0, began + sent.length * probeMs - performance.now()))
    }
    const ended = performance.now()
    while (this.probes.some((probe) => probe.visible === undefined) && performance.now() - ended < lateMs)
      await sleep(20)
    stop.abort()
    await Promise.all([...sent, ...watching])
    this.before += this.probes.length
    return this.probes
  }

  private async publish(): Promise<void> {
    const { publisher, orgId, day } = this.options
    const id = `${day}/probe-${this.before + this.probes.length}`
    const probe: Probe = { began: performance.now(), at: undefined }
    this.probes.push(probe)
    const { lane, seq } = await publisher.publish(lineEvent(this.line, orgId, 'probe', day, id))
    probe.durable = performance.now() - probe.began
    probe.at = { lane: lane!, seq }
  }

  private async watchCursor(stop: AbortSignal): Promise<void> {
    for (; !stop.aborted; await sleep(this.options.pollMs)) {
      const waiting = this.probes.filter(({ at, committed }) => at && committed === undefined)
      if (waiting.length === 0) continue
      const sql = 'select cursor from lane where lane = $1'
      const { rows } = await this.options.c.store.pool.query<{ cursor: string }>(sql, [waiting[0]!.at!.lane])
      const now = performance.now()
      for (const probe of waiting) if (Number(rows[0]!.cursor) >= probe.at!.seq) probe.committed = now - probe.began
    }
  }

  private async watchReport(stop: AbortSignal): Promise<void> {
    for (; !stop.aborted; await sleep(this.options.pollMs)) {
      const began = performance.now()
      const count = (await this.options.report()) - this.before
      const now = performance.now()
      this.asked.push(now - began)
      for (const probe of this.probes.slice(0, count)) probe.visible ??= now - probe.began
    }
  }
}
