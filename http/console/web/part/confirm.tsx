/** Asks once more before something is changed: what will happen, and whether it can be undone. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { curlOf } from '../address.ts'
import { holdRefetch } from '../refetch.ts'
import type { Problem } from '../problem.ts'
import { Copy } from './copy.tsx'
import { ProblemMessage } from './report-content.tsx'

export interface ConfirmProps {
  title: string
  /** What the button says that does it. */
  action: string
  isDanger?: boolean
  doing: { isBusy: boolean; problem: Problem | undefined }
  /** What is sent, for who wants to send it otherwise. */
  request?: { operation: string; params?: Readonly<Record<string, string>>; body?: unknown }
  onConfirm: () => void
  onClose: () => void
  children?: ComponentChildren
}

export function Confirm({
  title,
  action,
  isDanger = false,
  doing,
  request,
  onConfirm,
  onClose,
  children,
}: ConfirmProps) {
  const box = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null
    box.current!.showModal()
    const closed = holdRefetch()
    return () => {
      closed()
      before?.focus?.()
    }
  }, [])
  return (
    <dialog class="confirm" aria-label={title} ref={box} onClose={onClose} onCancel={onClose}>
      <h2>{title}</h2>
      <div class="confirm-body">
        {children}
        {request && (
          <p>
            <Copy label="Copy as curl" text={curlOf(request.operation, request.params, undefined, request.body)} />
          </p>
        )}
      </div>
      {doing.problem && <ProblemMessage problem={doing.problem} />}
      <p class="bar end">
        <button type="button" onClick={onClose}>
          {action.startsWith('Cancel') ? 'Back' : 'Cancel'}
        </button>
        <button type="button" class={isDanger ? 'danger' : 'main'} disabled={doing.isBusy} onClick={onConfirm}>
          {doing.isBusy ? 'Working…' : doing.problem?.unsure ? 'Try again' : action}
        </button>
      </p>
    </dialog>
  )
}
