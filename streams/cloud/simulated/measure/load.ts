import { isWeekend } from '#engine/value/day.ts'
import { between } from '#streams/cloud/simulated/world/prng.ts'
import type { Load } from '#streams/cloud/simulated/world/resource.ts'

/** Load of a resource from its daily rhythm, 0 to 1, without noise. All users of the simulated cloud live in UTC. */
function rhythm(load: Load, at: number): number {
  const hour = (at / 3_600_000) % 24
  const weekend = isWeekend(at)
  const daylight = Math.max(0, Math.sin(((hour - 7) / 14) * Math.PI)) * Number(hour >= 7 && hour <= 21)
  switch (load) {
    case 'web':
      return 0.15 + 0.5 * daylight * (weekend ? 0.55 : 1)
    case 'office':
      return weekend ? 0.018 : 0.02 + 0.55 * daylight * Number(hour >= 8 && hour <= 19)
    case 'batch':
      return 0.04 + 0.62 * Number(hour < 6)
    case 'database':
      return 0.5 + 0.1 * daylight
    case 'steady':
      return 0.55
    case 'light':
      return 0.05 + 0.02 * daylight
    case 'idle':
      return 0.015
    default:
      return load satisfies never
  }
}

/** The beginning and length of a sample. */
export interface Slot {
  /** Milliseconds since 1970. */
  at: number
  stepSeconds: number
}

/** Load of a resource for one metric: its rhythm, an individual factor, and noise. The same for the same seed. */
export function busyAt(seed: string, { uid, load }: { uid: string; load: Load }, metric: string, at: number): number {
  return rhythm(load, at) * shareOf(seed, uid, metric) * between(0.88, 1.12, seed, uid, metric, at)
}

/** Individual factor of a resource and metric: 0.8 to 1.2. */
export const shareOf = (seed: string, uid: string, metric: string): number => between(0.8, 1.2, seed, uid, metric)
