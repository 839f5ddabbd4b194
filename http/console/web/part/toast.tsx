/** Says what was done, and offers to undo it where the API can. It goes away by itself, unless it is pointed at or has the keyboard. */
import { signal } from '@preact/signals'
import { render } from 'preact'
import { useEffect, useState } from 'preact/hooks'

interface ToastMessage {
  id: number
  text: string
  undo?: (() => void) | undefined
}

const messages = signal<readonly ToastMessage[]>([])
/** So long it is there, milliseconds. */
const shownMs = 10_000
let place: HTMLElement | undefined

const close = (id: number): void => {
  messages.value = messages.value.filter((one) => one.id !== id)
}

export function toast(text: string, undo?: () => void): void {
  messages.value = [...messages.value.slice(-2), { id: (messages.value.at(-1)?.id ?? 0) + 1, text, undo }]
  if (place) return
  place = document.body.appendChild(document.createElement('div'))
  render(<Toasts />, place)
}

const Toasts = () => (
  <div class="toasts" role="status">
    {messages.value.map((one) => (
      <Toast key={one.id} message={one} />
    ))}
  </div>
)

function Toast({ message: { id, text, undo } }: { message: ToastMessage }) {
  const [isHeld, setHeld] = useState(false)
  useEffect(() => {
    if (isHeld) return
    const timer = setTimeout(() => close(id), shownMs)
    return () => clearTimeout(timer)
  }, [isHeld])
  const act = () => {
    close(id)
    undo?.()
  }
  return (
    <p
      class="toast"
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocusCapture={() => setHeld(true)}
      onBlurCapture={() => setHeld(false)}
    >
      <span dir="auto">{text}</span>
      {undo && (
        <button type="button" onClick={act}>
          Undo
        </button>
      )}
      <button type="button" class="quiet" aria-label="Close" onClick={() => close(id)}>
        ✕
      </button>
    </p>
  )
}
