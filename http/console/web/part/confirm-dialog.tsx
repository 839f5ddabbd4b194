/** Does one thing to one thing, and says before what that is: the request can be copied instead of being sent. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { curlOf, type Query } from '../address.ts'
import type { Operation, Reply } from '../api.ts'
import { useRequest, type RequestState } from '../report.ts'
import { Act } from './act.tsx'
import { Confirm } from './confirm.tsx'
import { Copy } from './copy.tsx'

interface Request<T> {
  operation: Operation
  params?: Readonly<Record<string, string>>
  body?: unknown
  query?: Query
  /** What the window says above, and what its button says. */
  title: string
  action: string
  isDanger?: boolean | undefined
  /** Right before it is sent. */
  onSend?: () => void
  onDone?: (data: T) => void
  /** What will happen, to what, for how much, and whether it can be undone. */
  children?: ComponentChildren
}

export interface ConfirmButtonProps<O extends Operation> extends Request<Reply<O>> {
  operation: O
  needs: string
  label: string
  /** Of a row: what it is done to, for who hears the button. */
  of?: string
  /** What who hears the button is told, where it is not its text with what it is done to. */
  name?: string
  class?: string
  isDisabled?: boolean
}

/** A button and its window. */
export function ConfirmButton<O extends Operation>({
  needs,
  label,
  of,
  name = of && `${label} ${of}`,
  class: given,
  isDisabled = false,
  ...request
}: ConfirmButtonProps<O>) {
  const [isOpen, setOpen] = useState(false)
  const look = given ?? (request.isDanger ? 'danger' : '')
  return (
    <>
      <Act
        needs={needs}
        disabled={isDisabled}
        class={look}
        isSmall={name !== undefined}
        label={name}
        onClick={() => setOpen(true)}
      >
        {label}
      </Act>
      {isOpen && <ButtonDialog {...request} onClose={() => setOpen(false)} />}
    </>
  )
}

function ButtonDialog<O extends Operation>({
  onDone,
  onClose,
  ...request
}: Omit<ConfirmButtonProps<O>, 'needs' | 'label' | 'of' | 'name' | 'class' | 'isDisabled'> & { onClose: () => void }) {
  const doing = useRequest(request.operation)
  const done = (data: Reply<O>) => {
    onClose()
    onDone?.(data)
  }
  return <ConfirmDialog {...request} doing={doing} onDone={done} onClose={onClose} />
}

export interface ConfirmDialogProps<T> extends Request<T> {
  /** Of a form: what is refused stands at its fields, and the window closes. */
  doing: RequestState<T>
  closesOnProblem?: boolean
  /** Of a form: looks once more whether what is changed is still as it is shown, and goes on where it is. */
  settle?: (then: () => void) => Promise<void>
  onClose: () => void
}

/** The window alone. */
export function ConfirmDialog<T>(props: ConfirmDialogProps<T>) {
  const {
    operation,
    params,
    query,
    body,
    title,
    action,
    isDanger = false,
    doing,
    settle,
    onDone,
    onClose,
    children,
  } = props
  const given = { ...(params && { params }), ...(query && { query }), ...(body !== undefined && { body }) }
  const send = async () => {
    let isDone = false
    props.onSend?.()
    let isSettled = settle === undefined
    await settle?.(() => {
      isSettled = true
    })
    if (!isSettled) return onClose()
    await doing.run(given, (data) => {
      isDone = true
      onDone?.(data)
    })
    if (isDone || props.closesOnProblem) onClose()
  }
  return (
    <Confirm
      title={title}
      action={action}
      isDanger={isDanger}
      doing={doing}
      onConfirm={() => void send()}
      onClose={onClose}
    >
      {children}
      <p>
        <Copy label="Copy as curl" text={curlOf(operation, params, query, body)} />
      </p>
    </Confirm>
  )
}
