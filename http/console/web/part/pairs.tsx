/** Names and what they are, beside each other. */
import type { ComponentChildren } from 'preact'

export type Pair = readonly [name: string, value: ComponentChildren]

export const Pairs = ({ pairs, label }: { pairs: readonly Pair[]; label?: string }) => (
  <dl class="pairs" aria-label={label}>
    {pairs.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)

/** A value of any shape as people read it. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined || value === '') return '–'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.map(valueText).join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** cpuPercentMax, cpu_percent_max: CPU percent max. */
export function wordsOf(name: string): string {
  const text = name
    .replaceAll('_', ' ')
    .replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .replaceAll(/\b(cpu|iops|gpu|id|usd|vcpus?)\b/g, (word) => word.toUpperCase())
  return text.charAt(0).toUpperCase() + text.slice(1)
}
