/** What colours mean. A series can be hidden, or shown alone. */
import type { ChartProps } from './props.ts'
import { lineSwatchOf, swatchOf } from '../part/series-color.ts'

export interface LegendProps extends ChartProps {
  hidden: ReadonlySet<string>
  onHidden: (hidden: ReadonlySet<string>) => void
  /** The period whose values are written behind the names. */
  at: number | undefined
}

export function Legend(props: LegendProps) {
  const { series, overlays = [], band, estimated = [], completeness = [], kind } = props
  return (
    <ul class="legend">
      {series.map((one, place) => (
        <SeriesEntry key={one.label} {...props} place={place} />
      ))}
      {overlays.map(({ label, isDotted }) => (
        <li key={label}>
          <span {...lineSwatchOf(isDotted)} />
          {label}
        </li>
      ))}
      {band && (
        <li>
          <span class="swatch band" />
          {band.label}
        </li>
      )}
      {kind === 'bars' && estimated.some((value) => value !== 0) && (
        <li>
          <span class="swatch hatched" />
          Estimated
        </li>
      )}
      {completeness.includes('partial') && (
        <li>
          <span class="swatch hatched" />
          Incomplete
        </li>
      )}
      {completeness.includes('none') && (
        <li>
          <span class="swatch unbilled" />
          No bills yet
        </li>
      )}
    </ul>
  )
}

function SeriesEntry({
  series,
  place,
  hidden,
  onHidden,
  at,
  show,
  completeness = [],
}: LegendProps & { place: number }) {
  const { label, isOther, values } = series[place]!
  const others = series.flatMap((one) => (one.label === label ? [] : [one.label]))
  const isHidden = hidden.has(label)
  const isAlone = !isHidden && others.every((other) => hidden.has(other))
  const toggle = () => {
    const next = new Set(hidden)
    if (!next.delete(label)) next.add(label)
    // Without any series there would be nothing to see.
    onHidden(series.every((one) => next.has(one.label)) ? new Set() : next)
  }
  const name = (
    <>
      <span {...swatchOf(place, isOther)} />
      <span class="legend-label">{label}</span>
    </>
  )
  const value = at === undefined || completeness[at] === 'none' ? undefined : values[at]
  const figure = at !== undefined && <span class="figure">{typeof value === 'number' ? show!(value) : '–'}</span>
  if (series.length === 1)
    return (
      <li>
        {name}
        {figure}
      </li>
    )
  return (
    <li>
      <button
        type="button"
        class="series"
        aria-pressed={!isHidden}
        title={`${label}: ${isHidden ? 'show' : 'hide'}`}
        onClick={toggle}
      >
        {name}
      </button>
      {figure}
      <button
        type="button"
        class="only"
        aria-label={isAlone ? 'Show all series' : `Show only ${label}`}
        onClick={() => onHidden(new Set(isAlone ? [] : others))}
      >
        {isAlone ? 'all' : 'only'}
      </button>
    </li>
  )
}
