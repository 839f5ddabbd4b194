/** Copies the address of what is shown: whoever may see it sees the same. */
import { useState } from 'preact/hooks'
import { Icon } from './icon.tsx'

/** How long it is said that it was copied, milliseconds. */
const saidMs = 2000

export function CopyLink() {
  const [text, setText] = useState('Copy link')
  const copy = async () => {
    const isDone = await copyAddress()
    setText(isDone ? 'Link copied' : 'Copy it from the address bar')
    setTimeout(() => setText('Copy link'), saidMs)
  }
  return (
    <button type="button" class="quiet round" onClick={copy} title={text} aria-label={text} aria-live="polite">
      <Icon name={text === 'Link copied' ? 'check' : 'link'} />
    </button>
  )
}

/** False where the browser does not let pages copy, as on pages without TLS. */
export const copyAddress = (): Promise<boolean> =>
  Promise.resolve()
    .then(() => navigator.clipboard.writeText(location.href))
    .then(
      () => true,
      () => false,
    )
