/** A button that changes something: without the right it needs it is there, cannot be pressed, and says which right that is. */
import type { ComponentChildren } from 'preact'
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
  label?: string | undefined
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
    return (
      <button type={type} class={name} disabled={disabled} aria-label={label} onClick={onClick}>
        {children}
      </button>
    )
  const why = `Requires the ${needs} permission`
  return (
    <span class="act">
      <button type="button" class={name} disabled title={why} aria-label={label && `${label}. ${why}`}>
        {children}
      </button>
      {isSmall ? (
        <span class="unseen">{why}</span>
      ) : (
        <span class="faint">
          requires <code>{needs}</code>
        </span>
      )}
    </span>
  )
}
