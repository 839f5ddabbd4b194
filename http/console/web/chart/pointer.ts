/** Pointing, clicking and dragging in a chart. */
import type { Signal } from '@preact/signals'
import type { EChartsType } from 'echarts/core'
import type { DrawnChart } from './props.ts'
import { lineAt, seriesAt } from '../part/series.ts'

interface Point {
  at: number
  value: number
}

/** The period and the value at a place of the drawing. */
function pointAt(drawing: EChartsType, count: number, event: MouseEvent, box: HTMLElement): Point | undefined {
  const { left, top } = box.getBoundingClientRect()
  const found = drawing.convertFromPixel({ gridIndex: 0 }, [event.clientX - left, event.clientY - top])
  const [at, value] = (found ?? []) as unknown as [number | undefined, number | undefined]
  if (at === undefined || value === undefined || !(at >= 0 && at < count)) return undefined
  return { at, value }
}

/** Pixels from the left of the drawing to a period. */
export function xOf(drawing: EChartsType, at: number): number | undefined {
  const found = drawing.convertToPixel({ gridIndex: 0 }, [at, 0]) as unknown as number[] | undefined
  return found?.[0]
}

/** Opens a period, with the series whose part of it was clicked. */
export function pickAt(chart: DrawnChart, at: number, value: number | undefined): void {
  const { kind, periods, series, onPick } = chart
  const period = periods[at]
  if (period === undefined || !onPick) return
  const hit = value === undefined ? undefined : (kind === 'bars' ? seriesAt : lineAt)(series, at, value)
  onPick(period, hit)
}

/** Dragging shorter than this is a click. */
const dragMinPx = 6

/** @returns ends it */
export function followPointer(
  box: HTMLElement,
  drawing: EChartsType,
  latest: { readonly current: DrawnChart },
  pointed: Signal<number | undefined>,
  onOver: (isOver: boolean) => void,
): () => void {
  const over = new AbortController()
  const on = (name: string, then: (event: PointerEvent) => void, where: EventTarget = box) =>
    where.addEventListener(name, then as EventListener, { signal: over.signal })
  const here = (event: MouseEvent) => pointAt(drawing, latest.current.periods.length, event, box)
  const selection = document.createElement('div')
  selection.className = 'plot-selection'
  selection.hidden = true
  box.parentElement!.append(selection)
  let from: { x: number; point: Point } | undefined
  let wasPointed: number | undefined

  const drawSelection = (event: PointerEvent) => {
    const { left } = box.getBoundingClientRect()
    const [a, b] = [from!.x - left, event.clientX - left].toSorted((one, other) => one - other) as [number, number]
    selection.hidden = b - a < dragMinPx
    selection.style.left = `${a}px`
    selection.style.width = `${b - a}px`
  }
  on('pointermove', (event) => {
    const point = here(event)
    pointed.value = point?.at
    onOver(point !== undefined)
    box.classList.toggle('pickable', point !== undefined && latest.current.onPick !== undefined)
    if (from && latest.current.onRange) drawSelection(event)
  })
  on('pointerleave', () => {
    pointed.value = undefined
    onOver(false)
  })
  on('pointerdown', (event) => {
    const point = event.button === 0 ? here(event) : undefined
    // A finger points first; the second tap on the same period opens it.
    wasPointed = event.pointerType === 'touch' ? pointed.value : point?.at
    from = point && { x: event.clientX, point }
    pointed.value = point?.at
    onOver(point !== undefined)
  })
  const end = () => {
    from = undefined
    selection.hidden = true
  }
  on('pointercancel', end)
  on(
    'pointerup',
    (event) => {
      if (!from) return
      const [start, isDrag] = [from.point, Math.abs(event.clientX - from.x) >= dragMinPx]
      const { periods, onRange } = latest.current
      const last = here(event)
      end()
      if (isDrag && onRange && last) {
        const [first, final] = [start.at, last.at].toSorted((a, b) => a - b) as [number, number]
        onRange(periods[first]!, periods[final]!)
      } else if (!isDrag && wasPointed === start.at) pickAt(latest.current, start.at, start.value)
    },
    window,
  )
  on('keydown', (event) => (event as unknown as KeyboardEvent).key === 'Escape' && end(), window)
  return () => {
    over.abort()
    selection.remove()
  }
}
