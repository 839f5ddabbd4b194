/** The name of a group: its value of each dimension, and the way behind it. */
import { Fragment } from 'preact'

export interface LabelProps {
  dims: readonly string[]
  value: Readonly<Record<string, string>>
  /** What it is called: its parts joined by a slash, as the API gives it. */
  label: string
  href: string
  /** Its place among the series that are drawn. */
  place?: number | undefined
}

/** Names may hold the slash that joins them: then values stand for themselves. */
function partsOf({ dims, value, label }: Pick<LabelProps, 'dims' | 'value' | 'label'>): string[] {
  const parts = dims.length === 1 ? [label] : label.split(' / ')
  return parts.length === dims.length ? parts : dims.map((dim) => value[dim] ?? '')
}

export function Label({ dims, value, label, href, place }: LabelProps) {
  const id = dims.length === 1 ? value[dims[0]!] : undefined
  return (
    <>
      <span class="group">
        {place !== undefined && <span class={`swatch c${place + 1}`} aria-hidden="true" />}
        <a href={href} title={label}>
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
      {id !== undefined && id !== label && (
        <span class="faint">
          <span class="clip wide" title={id}>
            {id}
          </span>
        </span>
      )}
    </>
  )
}
