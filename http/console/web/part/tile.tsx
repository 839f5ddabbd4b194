/** One figure of a view, with what it is of. */
import type { ComponentChildren } from 'preact'

export interface TileProps {
  title: ComponentChildren
  value: ComponentChildren
  /** Below it, small. */
  note?: ComponentChildren
}

export const Tile = ({ title, value, note }: TileProps) => (
  <article class="tile">
    <h2>{title}</h2>
    <span class="big">{value}</span>
    {note !== undefined && <span class="small">{note}</span>}
  </article>
)
