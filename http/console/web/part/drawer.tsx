/** What opens over a view at its side: it takes the keyboard, gives it back, and closes by Escape. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

export interface DrawerProps {
  title: string
  onClose: () => void
  children?: ComponentChildren
}

export function Drawer({ title, onClose, children }: DrawerProps) {
  const box = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null
    box.current!.showModal()
    return () => before?.focus?.()
  }, [])
  const outside = (event: MouseEvent) => {
    if (event.target === box.current) onClose()
  }
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions -- Esc closes it, too
    <dialog class="drawer" aria-label={title} ref={box} onClose={onClose} onCancel={onClose} onClick={outside}>
      <div class="drawer-body">
        <header class="panel-head">
          <h2>{title}</h2>
          <span class="tools">
            <button type="button" class="quiet" onClick={onClose} aria-label="Close">
              Close ✕
            </button>
          </span>
        </header>
        {children}
      </div>
    </dialog>
  )
}
