/**
 * Exports of some days of a billing period. Each is a layer over those before it, which are still shown on all other
 * days. Layers are in the order in which they were first shown, the newest last; a layer that is visible on no day is
 * dropped.
 */
import { addDays } from '#engine/value/day.ts'

/** Days, `YYYY-MM-DD`, both included. */
export interface DayRange {
  from: string
  to: string
}

export interface Layer {
  id: string
  at: string
  /** Missing: the layer covers all days. */
  days?: DayRange
}

/** The export that is shown on one range of days. */
export interface Segment extends DayRange {
  id: string
}

interface LayeredBill extends DayRange {
  id: string
  at: string
  layers?: readonly Layer[]
}

/** Which export is shown on which days, oldest days first. */
export function segmentsOf(bill: LayeredBill): Segment[] {
  const { from, to } = bill
  let shown: Segment[] = []
  for (const layer of layersOf(bill)) shown = over(shown, { id: layer.id, ...(layer.days ?? { from, to }) })
  return shown.toSorted((a, b) => (a.from < b.from ? -1 : 1))
}

function over(shown: readonly Segment[], top: Segment): Segment[] {
  const left = shown.flatMap(({ id, from, to }) => {
    const parts = [
      { id, from, to: before(top.from, to) },
      { id, from: after(top.to, from), to },
    ]
    if (to < top.from || from > top.to) return [{ id, from, to }]
    return parts.filter((part) => part.from <= part.to)
  })
  return [...left, top]
}

const before = (day: string, to: string): string => (to < day ? to : addDays(day, -1))
const after = (day: string, from: string): string => (from > day ? from : addDays(day, 1))

/** The layers with `top` added, without those that it covers completely. */
export function withLayer(past: LayeredBill, top: Required<Layer>): Layer[] {
  const all = [...layersOf(past).filter(({ id }) => id !== top.id), top]
  const [from, to] = [[past.from, top.days.from].toSorted()[0]!, [past.to, top.days.to].toSorted()[1]!]
  const visible = new Set(segmentsOf({ ...top, from, to, layers: all }).map(({ id }) => id))
  return all.filter(({ id }) => visible.has(id))
}

/** The layers of a bill: without `layers` it is one export of all days. */
export const layersOf = ({ id, at, layers }: Omit<LayeredBill, keyof DayRange>): readonly Layer[] =>
  layers ?? [{ id, at }]

/** Ids of all exports that are shown. */
export const layerIds = (bill: Omit<LayeredBill, keyof DayRange>): string[] => layersOf(bill).map(({ id }) => id)
