/** A secret that is shown this once: whoever leaves has to make another. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Copy } from './copy.tsx'

export interface OneTimeSecretProps {
  /** What it is. */
  label: string
  text: string
  onClose: () => void
  /** What it is good for. */
  children?: ComponentChildren
}

export function OneTimeSecret({ label, text, onClose, children }: OneTimeSecretProps) {
  const place = useRef<HTMLElement>(null)
  useEffect(() => place.current!.focus(), [])
  return (
    <section class="once" role="status" aria-label={label} tabindex={-1} ref={place}>
      <p class="empty-title">{label}: shown only once.</p>
      <output class="once-text">{text}</output>
      {children}
      <p class="bar">
        <Copy label="Copy" text={text} />{' '}
        <button type="button" onClick={onClose}>
          I have saved it
        </button>
      </p>
    </section>
  )
}
