/** How much of something there is: a bar, and the same in words. */
import type { ComponentChildren } from 'preact'

export interface MeterProps {
  /** Of `max`. */
  value: number
  max?: number
  label: string
  state?: 'good' | 'warn' | 'bad'
  children?: ComponentChildren
}

export const Meter = ({ value, max = 100, label, state = 'good', children }: MeterProps) => (
  <span class="metered">
    <progress
      class={`meter ${state === 'good' ? '' : state}`}
      max={max || 1}
      value={Math.max(0, Math.min(max, value))}
      aria-label={label}
    />
    <span class="metered-text">{children}</span>
  </span>
)
