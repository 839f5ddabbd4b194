/** A button that changes something: without the right it needs it is there, cannot be pressed, and says which right that is. */
import type { ComponentChildren } from 'preact'
import { html } from '../html.ts'
import { may } from '../session.ts'

export interface ActProps {
  /** As the API names it: service.update. */
  needs: string
  onClick?: () => void
  /** Of a form: pressing it sends that. */
  type?: 'button' | 'submit'
  class?: string
  disabled?: boolean
  /** In rows: the right is said to who points at the button, and to who hears it. */
  isSmall?: boolean
  label?: string
  children?: ComponentChildren
}

export function Act({
  needs,
  onClick,
  type = 'button',
  class: name = '',
  disabled = false,
  isSmall = false,
  label,
  children,
}: ActProps) {
  if (may(needs))
    return html`<button type=${type} class=${name} disabled=${disabled} aria-label=${label} onClick=${onClick}>${children}</button>`
  const why = `Requires the ${needs} permission`
  return html`<span class="act"><button type="button" class=${name} disabled title=${why} aria-label=${label && `${label}. ${why}`}>${children}</button>${isSmall ? html`<span class="unseen">${why}</span>` : html`<span class="faint">requires <code>${needs}</code></span>`}</span>`
}
