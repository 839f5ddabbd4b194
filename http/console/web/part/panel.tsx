/** A part of a view under its heading, with what may be done with it at the right. */
import type { ComponentChildren } from 'preact'

export interface PanelProps {
  title: string
  /** Beside the heading, faint: of which days, which cost. */
  about?: ComponentChildren
  tools?: ComponentChildren
  class?: string
  children?: ComponentChildren
}

export const Panel = ({ title, about, tools, class: name = '', children }: PanelProps) => (
  <section class={`panel ${name}`} aria-label={title}>
    <header class="panel-head">
      <h2>{title}</h2>
      {about && <span class="about">{about}</span>}
      <span class="tools">{tools}</span>
    </header>
    {children}
  </section>
)
