/** A small line of a row's values over the periods, each in its own scale: a shape, not a figure. */
import { usd } from '../figure.ts'

const [width, height] = [96, 22]

/** Points of the line; zero is always within, so that a small change does not look like a large one. */
function pointsOf(values: readonly number[]): string {
  const [least, most] = [Math.min(0, ...values), Math.max(0, ...values)]
  const step = values.length > 1 ? width / (values.length - 1) : 0
  const y = (value: number) => height - 1 - ((value - least) / (most - least || 1)) * (height - 2)
  return values.map((value, at) => `${(at * step).toFixed(1)},${y(value).toFixed(1)}`).join(' ')
}

export function Spark({ values, label }: { values: readonly number[]; label: string }) {
  if (values.length < 2) return null
  const text = `${label}: from ${usd(values[0]!)} to ${usd(values.at(-1)!)}, peak ${usd(Math.max(...values))}`
  return (
    <svg class="spark" role="img" aria-label={text} width={width} height={height} viewBox={`0 0 ${width} ${height}`}>
      <title>{text}</title>
      <polyline points={pointsOf(values)} />
    </svg>
  )
}
