/** What a group is called, and the way to it; its IDs are in its title. */
import { Fragment } from 'preact'
import { partsOf, type GroupName } from './group-name.ts'

export interface LabelProps extends GroupName {
  href: string
  /** Its place among the series that are drawn. */
  place?: number | undefined
}

export function Label({ dims, value, label, href, place }: LabelProps) {
  const ids = dims.map((dim) => value[dim] ?? '').join(' / ')
  return (
    <span class="group">
      {place !== undefined && <span class={`swatch c${place + 1}`} aria-hidden="true" />}
      <a href={href} title={ids === label ? label : `${label} (${ids})`}>
        {partsOf({ dims, value, label }).map((part, at) => (
          <Fragment key={at}>
            {at > 0 && <span class="faint"> › </span>}
            <span class="clip wide" dir="auto">
              {part}
            </span>
          </Fragment>
        ))}
      </a>
    </span>
  )
}
