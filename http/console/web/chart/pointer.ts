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

export interface PointerPlace {
  box: HTMLElement
  /** Drawn over the periods that are being selected. */
  selection: HTMLElement
  drawing: EChartsType
  latest: { readonly current: DrawnChart }
  pointed: Signal<number | undefined>
  onOver: (isOver: boolean) => void
}

/** Follows the pointer over a chart until it ends. */
export class Pointer {
  readonly #over = new AbortController()
  readonly #place: PointerPlace
  #from: { x: number; point: Point } | undefined
  #wasPointed: number | undefined

  constructor(place: PointerPlace) {
    this.#place = place
    const { signal } = this.#over
    place.box.addEventListener('pointermove', (event) => this.#move(event), { signal })
    place.box.addEventListener('pointerleave', (event) => this.#leave(event), { signal })
    place.box.addEventListener('pointerdown', (event) => this.#press(event), { signal })
    addEventListener('pointerup', (event) => this.#release(event), { signal })
    addEventListener('pointercancel', () => this.#forget(), { signal })
    addEventListener('keydown', (event) => event.key === 'Escape' && this.#forget(), { signal })
  }

  end(): void {
    this.#over.abort()
  }

  #here(event: MouseEvent): Point | undefined {
    const { box, drawing, latest } = this.#place
    return pointAt(drawing, latest.current.periods.length, event, box)
  }

  #point(point: Point | undefined): void {
    this.#place.pointed.value = point?.at
    this.#place.onOver(point !== undefined)
  }

  /** A finger leaves when it is lifted: what it points at stays. */
  #leave(event: PointerEvent): void {
    if (event.pointerType !== 'touch') this.#point(undefined)
  }

  #move(event: PointerEvent): void {
    const { box, latest } = this.#place
    const point = this.#here(event)
    this.#point(point)
    box.classList.toggle('pickable', point !== undefined && latest.current.onPick !== undefined)
    if (this.#from && latest.current.onRange) this.#select(this.#from.x, event.clientX)
  }

  #select(from: number, to: number): void {
    const { box, selection } = this.#place
    const { left } = box.getBoundingClientRect()
    const width = Math.abs(to - from)
    selection.hidden = width < dragMinPx
    selection.style.left = `${Math.min(from, to) - left}px`
    selection.style.width = `${width}px`
  }

  #press(event: PointerEvent): void {
    const point = event.button === 0 ? this.#here(event) : undefined
    // A finger points first; the second tap on the same period opens it.
    this.#wasPointed = event.pointerType === 'touch' ? this.#place.pointed.value : point?.at
    this.#from = point && { x: event.clientX, point }
    this.#point(point)
  }

  #release(event: PointerEvent): void {
    const from = this.#from
    if (!from) return
    this.#forget()
    const chart = this.#place.latest.current
    const last = this.#here(event)
    if (Math.abs(event.clientX - from.x) < dragMinPx) {
      if (this.#wasPointed === from.point.at) pickAt(chart, from.point.at, from.point.value)
    } else if (chart.onRange && last) {
      const [first, final] = [from.point.at, last.at].toSorted((a, b) => a - b)
      chart.onRange(chart.periods[first!]!, chart.periods[final!]!)
    }
  }

  #forget(): void {
    this.#from = undefined
    this.#place.selection.hidden = true
  }
}
