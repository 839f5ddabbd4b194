/** The values of the period that is pointed at: the total, then series by value. */
import { useLayoutEffect, useRef } from 'preact/hooks'
import { lineSwatchOf, swatchOf } from '../part/series-color.ts'
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
  const { periods, marks = [], name = String } = chart
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const { style, offsetWidth } = box.current!
    const isRight = x + gap + offsetWidth <= width
    style.left = `${Math.max(0, isRight ? x + gap : x - gap - offsetWidth)}px`
  })
  const noted = marks.filter(({ period }) => period === periods[at])
  return (
    <div class="tooltip" aria-hidden="true" ref={box}>
      <strong>{name(periods[at]!)}</strong> <span class="faint">{stateAt(chart, at)}</span>
      {noted.slice(0, marksMax).map(({ severity, text }) => (
        <span key={text} class={`badge ${severity}`}>
          {text}
        </span>
      ))}
      <Values chart={chart} at={at} />
    </div>
  )
}

const stateAt = ({ completeness = [] }: DrawnChart, at: number): string =>
  ({ none: 'no bills yet', partial: 'incomplete', whole: '' })[completeness[at] ?? 'whole']

type ValuesProps = Pick<TooltipProps, 'chart' | 'at'>

function Values({ chart, at }: ValuesProps) {
  const { series, kind, estimated = [], show = String } = chart
  const ranked = rankedAt(series, at)
  const total = totalAt(series, at)
  const open = estimated[at] ?? 0
  return (
    <>
      <table>
        <tbody>
          {kind === 'bars' && series.length > 1 && total !== null && (
            <tr class="total">
              <td />
              <td>Total</td>
              <td class="figure">{show(total)}</td>
            </tr>
          )}
          <OverlayRows chart={chart} at={at} />
          {ranked.slice(0, seriesMax).map(({ label, values, place, isOther }) => (
            <tr key={label}>
              <td>
                <span {...swatchOf(place, isOther)} />
              </td>
              <td class="tooltip-label">{label}</td>
              <td class="figure">{show(values[at]!)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {ranked.length > seriesMax && <span class="faint">{ranked.length - seriesMax} more</span>}
      {total === 0 && ranked.length === 0 && <span class="faint">{show(0)}</span>}
      {open !== 0 && <span class="faint">{show(open)} of it estimated</span>}
    </>
  )
}

const OverlayRows = ({ chart: { overlays = [], band, show = String }, at }: ValuesProps) => (
  <>
    {overlays.map(({ label, values, isDotted }) =>
      typeof values[at] === 'number' ? (
        <tr key={label}>
          <td>
            <span {...lineSwatchOf(isDotted)} />
          </td>
          <td>{label}</td>
          <td class="figure">{show(values[at])}</td>
        </tr>
      ) : null,
    )}
    {typeof band?.low[at] === 'number' && typeof band.high[at] === 'number' && (
      <tr>
        <td>
          <span class="swatch band" />
        </td>
        <td>{band.label}</td>
        <td class="figure">
          {show(band.low[at])} – {show(band.high[at])}
        </td>
      </tr>
    )}
  </>
)
