/** Takes a question elsewhere: as a command, or as SQL for the analysts' door. */
import { useState } from 'preact/hooks'
import { curlOf, type Query } from '../address.ts'
import type { Report } from '../report.ts'

/** Where no clipboard may be had the text is shown to be copied by hand. */
export function Copy({ text, label }: { text: string; label: string }) {
  const [state, setState] = useState<'' | 'copied' | 'shown'>('')
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => {
        setState('copied')
        setTimeout(() => setState(''), 2000)
      },
      () => setState('shown'),
    )
  return (
    <span class="copy">
      <button type="button" class="quiet" onClick={copy}>
        {state === 'copied' ? 'Copied' : label}
      </button>
      {state === 'shown' && (
        <textarea readonly rows={3} aria-label={label}>
          {text}
        </textarea>
      )}
    </span>
  )
}

export interface CopiesProps {
  report: Pick<Report<unknown>, 'operation' | 'given'>
  /** Where one panel has several: which. */
  of?: string | undefined
  /** The same for analysts, where ClickHouse has it. */
  sql?: string | undefined
}

export const Copies = ({ report: { operation, given }, of, sql }: CopiesProps) => (
  <span class="copies">
    <Copy
      label={of ? `Copy ${of} as curl` : 'Copy as curl'}
      text={curlOf(operation, given.params, given.query as Query, given.body)}
    />
    {sql && <Copy label="Copy as SQL" text={sql} />}
  </span>
)
