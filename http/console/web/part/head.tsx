/** The heading of a view, with what may be done in it at the right. */
import type { ComponentChildren } from 'preact'
import { Clip } from './clip.tsx'

export interface HeadProps {
  title: string
  /** Of one thing: its name, after a link to all of them. */
  of?: { name: string; href: string }
  /** After the heading. */
  beside?: ComponentChildren
  /** Buttons. */
  children?: ComponentChildren
}

export const Head = ({ title, of, beside, children }: HeadProps) => (
  <div class="view-head">
    <h1>
      {of ? (
        <>
          <a href={of.href}>{title}</a> / <Clip text={of.name} size="wide" />
        </>
      ) : (
        title
      )}
      {beside && <> {beside}</>}
    </h1>
    {children && <span class="tools">{children}</span>}
  </div>
)
