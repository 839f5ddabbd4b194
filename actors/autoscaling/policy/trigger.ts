/**
 * The minimum number of units as triggers change it: a trigger that raises it beats one that lowers it, and the highest
 * one wins.
 */
import { isOpen, nextEdge, type WeekWindow } from '#streams/cron/window.ts'
import type { Trigger, TriggerPreset } from '#streams/autoscaling.ts'

const workdays = [1, 2, 3, 4, 5]
const everyDay = [1, 2, 3, 4, 5, 6, 7]

const windows: Readonly<Record<TriggerPreset, Pick<WeekWindow, 'days' | 'from' | 'to'>>> = {
  'business-hours': { days: workdays, from: '08:00', to: '18:00' },
  'peak-hours': { days: everyDay, from: '00:00', to: '24:00' },
  'weekend-scale-down': { days: [6, 7], from: '00:00', to: '24:00' },
}

const windowOf = ({ preset, timezone, days, start, end }: Trigger): WeekWindow => {
  const usual = windows[preset]
  return { days: days ?? usual.days, from: start ?? usual.from, to: end ?? usual.to, timezone }
}

interface Bounds {
  min: number
  max: number
}

const raiseMin = ({ minCapacity }: Trigger, { min, max }: Bounds): number =>
  Math.max(min, minCapacity ?? Math.ceil((min + max) / 2))

const lowerMin = ({ minCapacity }: Trigger, { min }: Bounds): number =>
  Math.min(min, minCapacity ?? Math.max(1, Math.floor(min / 2)))

/** The minimum number of units at `now`, milliseconds since 1970; never above `max`. */
export function effectiveMin(triggers: readonly Trigger[], bounds: Bounds, now: number): number {
  const open = triggers.filter((trigger) => isOpen(windowOf(trigger), now))
  const raises = open.filter(({ preset }) => preset !== 'weekend-scale-down').map((one) => raiseMin(one, bounds))
  const lowers = open.filter(({ preset }) => preset === 'weekend-scale-down').map((one) => lowerMin(one, bounds))
  const [found = bounds.min] =
    raises.length > 0 ? [Math.max(...raises)] : lowers.length > 0 ? [Math.min(...lowers)] : []
  return Math.min(found, bounds.max)
}

/** When a trigger next opens or closes after `now`; undefined without triggers. */
export function nextEdgeOf(triggers: readonly Trigger[], now: number): number | undefined {
  const edges = triggers.flatMap((trigger) => nextEdge(windowOf(trigger), now) ?? [])
  return edges.length === 0 ? undefined : Math.min(...edges)
}
