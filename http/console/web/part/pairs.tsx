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
