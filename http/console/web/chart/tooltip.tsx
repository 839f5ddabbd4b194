/** The values of the period that is pointed at: the total, then series by value. */
import { useLayoutEffect, useRef } from 'preact/hooks'
import { swatchOf } from '../part/series-color.ts'
import type { DrawnChart } from './props.ts'
import { rankedAt, totalAt } from '../part/series.ts'

export interface TooltipProps {
  chart: DrawnChart
  at: number
  /** Pixels from the left of the chart to the period, and the chart's width. */
  x: number
  width: number
}

const seriesMax = 12
const marksMax = 3
const gap = 14

export function Tooltip({ chart, at, x, width }: TooltipProps) {
  const { periods, series, overlays = [], marks = [], completeness = [], kind, estimated = [] } = chart
  const { name = String, show = String } = chart
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const { style, offsetWidth } = box.current!
    const isRight = x + gap + offsetWidth <= width
    style.left = `${Math.max(0, isRight ? x + gap : x - gap - offsetWidth)}px`
  })
  const ranked = rankedAt(series, at)
  const total = totalAt(series, at)
  const noted = marks.filter(({ period }) => period === periods[at])
  const isUnbilled = completeness[at] === 'none'
  return (
    <div class="tooltip" aria-hidden="true" ref={box}>
      <strong>{name(periods[at]!)}</strong>
      {completeness[at] === 'partial' && <span class="faint"> incomplete</span>}
      {isUnbilled && <span class="faint"> no bills yet</span>}
      {noted.slice(0, marksMax).map(({ severity, text }) => (
        <span key={text} class={`badge ${severity}`}>
          {text}
        </span>
      ))}
      <table>
        <tbody>
          {kind === 'bars' && series.length > 1 && total !== null && (
            <tr class="total">
              <td />
              <td>Total</td>
              <td class="figure">{show(total)}</td>
            </tr>
          )}
          {overlays.map(
            ({ label, values }) =>
              typeof values[at] === 'number' && (
                <tr key={label}>
                  <td>
                    <span class="swatch overlay" />
                  </td>
                  <td>{label}</td>
                  <td class="figure">{show(values[at])}</td>
                </tr>
              ),
          )}
          {ranked.slice(0, seriesMax).map(({ label, values, place, isOther }) => (
            <tr key={label}>
              <td>
                <span class={swatchOf(place, isOther)} />
              </td>
              <td class="tooltip-label">{label}</td>
              <td class="figure">{show(values[at]!)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {ranked.length > seriesMax && <span class="faint">{ranked.length - seriesMax} more</span>}
      {ranked.length === 0 && !isUnbilled && <span class="faint">{show(0)}</span>}
      {(estimated[at] ?? 0) !== 0 && <span class="faint">{show(estimated[at]!)} of it estimated</span>}
    </div>
  )
}
