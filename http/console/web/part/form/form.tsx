/**
 * A form of described fields: creates something, or changes only the fields that were changed in it. What others changed meanwhile
 * is shown before anything is sent; errors are at their fields; what is typed survives a reload and going elsewhere.
 */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { curlOf } from '../../address.ts'
import type { Operation, Reply } from '../../api.ts'
import { diffFields, useEditing } from '../../editing.ts'
import type { Problem } from '../../problem.ts'
import { useRequest, type RequestState } from '../../report.ts'
import { Act } from '../act.tsx'
import { ConcurrentEdits, Same } from '../concurrent-edits.tsx'
import { ConfirmDialog } from '../confirm-dialog.tsx'
import { Copy } from '../copy.tsx'
import { FormProblem } from '../form.tsx'
import { Panel } from '../panel.tsx'
import { Fields, labelsOf, placesOf, secretsOf, type FormField } from './field.tsx'
import { keepDraft, readDraft } from './kept-draft.ts'

export interface FormProps<T extends object, D extends object, C extends Operation, U extends Operation> {
  /** What it is of, small: budget. */
  noun: string
  /** Undefined: one is created. */
  thing?: T | undefined
  begun: (thing: T | undefined) => D
  /** Requests the thing as it is now; needed where it is changed. */
  look?: () => Promise<T | undefined>
  fields: (draft: D, set: (changes: Partial<D>) => void) => readonly FormField<D>[]
  /** The request; left out: the draft. */
  body?: (draft: D, isNew: boolean) => object
  create?: C
  update?: U
  params?: Readonly<Record<string, string>> | undefined
  /** Permissions, where they are not service.create and service.update. */
  needs?: { create?: string; update?: string } | undefined
  /** The heading and the button, where they are not "New budget" and "Create budget". Null: without a panel. */
  title?: string | null | undefined
  action?: string
  /** What to call members of the draft that have no field of their own. */
  labels?: Readonly<Record<string, string>>
  /** What is said before it is sent, in a window with a button of its own. */
  confirm?: (draft: D) => { title: string; action: string; children?: ComponentChildren }
  /** Of something else that was requested for the form. */
  problem?: Problem | undefined
  /** Nothing to send yet. */
  isDisabled?: (draft: D) => boolean
  /** Before the buttons, after them, and after the form. */
  note?: ComponentChildren
  after?: (done: Reply<C> | Reply<U> | undefined) => ComponentChildren
  children?: (draft: D) => ComponentChildren
  /** It is always there: it takes no focus, and is empty again once something was created. */
  isStanding?: boolean
  /** The request has all of the thing, not only what was changed. */
  isWhole?: boolean
  isDanger?: boolean
  onClose?: () => void
  onDone?: (saved: Reply<C> & Reply<U>) => void
}

export function Form<T extends object, D extends object, C extends Operation, U extends Operation = C>(
  props: FormProps<T, D, C, U>,
) {
  const { noun, thing, look, onClose, onDone, isStanding = false, isDisabled } = props
  const editing = useEditing<T, D>({ thing, begun: props.begun, look: look ?? (() => Promise.resolve(thing)) })
  const { draft, set, base, settle } = editing
  const fields = props.fields(draft, set)
  const place = useRef<HTMLFormElement>(null)
  const secrets = secretsOf(fields)
  const kept = useKeptDraft(`${noun} ${idOf(thing)}`, editing, secrets)
  const operation = (thing ? props.update : props.create) as C & U
  const doing = useRequest(operation) as RequestState<Reply<C> & Reply<U>>
  const problem = doing.problem ?? props.problem
  const [isAsked, setAsked] = useState(false)
  const bodyOf = props.body ?? ((whole: D) => whole)
  const changed = thing ? diffFields(bodyOf(base, false), bodyOf(draft, false)) : bodyOf(draft, true)
  const body = thing && props.isWhole ? bodyOf(draft, false) : changed
  const isSame = thing !== undefined && Object.keys(changed).length === 0
  const request = { ...(props.params && { params: props.params }), body }
  const confirm = props.confirm?.(draft)
  useEffect(() => {
    if (!isStanding) place.current?.querySelector<HTMLElement>('input, select, textarea')?.focus()
  }, [])
  const close = () => {
    kept.drop()
    onClose?.()
  }
  const done = (saved: Reply<C> & Reply<U>) => {
    kept.drop()
    if (isStanding && thing) editing.saved()
    else if (isStanding) set(base)
    onDone?.(saved)
  }
  const submit = (event: Event) => {
    event.preventDefault()
    void settle(() => (confirm ? setAsked(true) : void doing.run(request, done)))
  }
  const permission = thing ? (props.needs?.update ?? 'service.update') : (props.needs?.create ?? 'service.create')
  const action = props.action ?? `${thing ? 'Save' : `Create ${noun}`}${confirm ? '…' : ''}`
  const form = (
    <>
      <form class="form" onSubmit={submit} noValidate ref={place}>
        {kept.isRestored && (
          <p class="note" role="status">
            Continued from your unsaved draft.{' '}
            <button type="button" class="quiet" onClick={kept.discard}>
              Discard draft
            </button>
          </p>
        )}
        <Fields fields={fields} draft={draft} set={set} problem={problem} />
        {props.children?.(draft)}
        {props.note && <p class="faint">{props.note}</p>}
        <ConcurrentEdits editing={editing} labels={{ ...labelsOf(fields), ...props.labels }} />
        <FormProblem problem={problem} fields={placesOf(fields)} />
        <p class="bar">
          <Act
            type="submit"
            needs={permission}
            class={props.isDanger ? 'danger' : 'main'}
            disabled={doing.isBusy || editing.isLooking || isSame || isDisabled?.(draft) === true}
          >
            {action}
          </Act>{' '}
          {onClose && (
            <button type="button" onClick={close}>
              Cancel
            </button>
          )}
          {!confirm && (
            <Copy
              label="Copy as curl"
              text={curlOf(operation, props.params, {}, withoutSecrets(body, draft, secrets))}
            />
          )}
          <Same isSame={isSame} />
          {props.after?.(doing.problem ? undefined : doing.done)}
        </p>
      </form>
      {isAsked && confirm && (
        <ConfirmDialog
          operation={operation}
          {...request}
          doing={doing}
          title={confirm.title}
          action={confirm.action}
          isDanger={props.isDanger}
          settle={settle}
          closesOnProblem
          onDone={done}
          onClose={() => setAsked(false)}
        >
          {confirm.children}
        </ConfirmDialog>
      )}
    </>
  )
  if (props.title === null) return form
  return <Panel title={props.title ?? `${thing ? 'Edit' : 'New'} ${noun}`}>{form}</Panel>
}

const idOf = (thing: object | undefined): string => String((thing as { id?: unknown } | undefined)?.id ?? '')

/** As it may be copied: secrets are left out, wherever the request has them. */
function withoutSecrets<D extends object>(body: object, draft: D, secrets: ReadonlySet<string>): unknown {
  const values = new Set<unknown>([...secrets].map((name) => draft[name as keyof D]).filter((value) => value !== ''))
  return JSON.parse(JSON.stringify(body), (_, value: unknown) => (values.has(value) ? '...' : value))
}

/** Puts back what was typed before, and keeps what is typed. */
function useKeptDraft<T, D extends object>(
  name: string,
  { draft, base, set }: Pick<ReturnType<typeof useEditing<T, D>>, 'draft' | 'base' | 'set'>,
  secrets: ReadonlySet<string>,
) {
  const [isRestored, setRestored] = useState(false)
  const isOver = useRef(false)
  useEffect(() => {
    const before = readDraft(name, base)
    if (!before) return
    set(before)
    setRestored(true)
  }, [])
  const isFirst = useRef(true)
  useEffect(() => {
    // What was kept is read first.
    if (!isFirst.current && !isOver.current)
      keepDraft(name, Object.fromEntries(Object.entries(diffFields(base, draft)).filter(([key]) => !secrets.has(key))))
    isFirst.current = false
  }, [draft, base])
  const drop = () => {
    isOver.current = true
    keepDraft(name, {})
    setTimeout(() => (isOver.current = false))
  }
  const discard = () => {
    set(base)
    setRestored(false)
  }
  return { isRestored, drop, discard }
}
