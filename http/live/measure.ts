import { Counter, Gauge, type Registry } from 'prom-client'

/** Why a stream ended: its client disconnected, lost its access, did not read, or the process stops. */
const liveEnds = ['left', 'refused', 'slow', 'stopped'] as const
export type LiveEnd = (typeof liveEnds)[number]

export interface LiveMeter {
  /** Number of open streams. */
  open: (count: number) => void
  told: (event: string) => void
  merged: (count: number) => void
  ended: (why: LiveEnd) => void
}

export function measureLive(registry: Registry): LiveMeter {
  const registers = [registry]
  const open = new Gauge({ name: 'tidemark_live_streams', help: 'Open event streams', registers })
  const told = new Counter({
    name: 'tidemark_live_events_total',
    help: 'Events written to streams, by name',
    labelNames: ['event'],
    registers,
  })
  const merged = new Counter({
    name: 'tidemark_live_events_merged_total',
    help: 'Events merged with a pending one, or dropped for a resync',
    registers,
  })
  const ended = new Counter({
    name: 'tidemark_live_streams_ended_total',
    help: 'Closed streams, by reason',
    labelNames: ['why'],
    registers,
  })
  for (const why of liveEnds) ended.inc({ why }, 0)
  return {
    open: (count) => open.set(count),
    told: (event) => told.inc({ event }),
    merged: (count) => merged.inc(count),
    ended: (why) => ended.inc({ why }),
  }
}
