/** A text as a code that cameras read, drawn in the page: it goes nowhere. Nothing stands there while it cannot be drawn. */
import { useEffect, useState } from 'preact/hooks'
import { outlineOf, type Modules } from './qr-outline.ts'

/** Modules of quiet on each side: readers want four. */
const quiet = 4

export function QrCode({ text, label }: { text: string; label: string }) {
  const [code, setCode] = useState<Modules | undefined>()
  useEffect(() => {
    let isOver = false
    // For few people, once: it is no part of what every view loads.
    import('lean-qr').then(({ generate }) => isOver || setCode(generate(text))).catch(() => setCode(undefined))
    return () => {
      isOver = true
    }
  }, [text])
  if (!code) return null
  const side = code.size + 2 * quiet
  return (
    <svg
      class="code"
      role="img"
      aria-label={label}
      viewBox={`${-quiet} ${-quiet} ${side} ${side}`}
      shape-rendering="crispEdges"
    >
      <path d={outlineOf(code)} />
    </svg>
  )
}
