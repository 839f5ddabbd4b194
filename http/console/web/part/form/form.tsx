/**
 * A form of described fields: creates something, or changes only the fields that were changed in it. What others changed meanwhile
 * is shown before anything is sent; errors are at their fields; what is typed survives a reload and going elsewhere.
 */
import { useEffect, useRef } from 'preact/hooks'
import { curlOf } from '../../address.ts'
import type { Operation } from '../../api.ts'
import { Act } from '../act.tsx'
import { ConcurrentEdits, Same } from '../concurrent-edits.tsx'
import { ConfirmDialog } from '../confirm-dialog.tsx'
import { Copy } from '../copy.tsx'
import { FormProblem } from '../form.tsx'
import { Panel } from '../panel.tsx'
import { Fields } from './field.tsx'
import { useForm, type FormProps, type FormState } from './use-form.ts'

export function Form<T extends object, D extends object, C extends Operation, U extends Operation = C>(
  props: FormProps<T, D, C, U>,
) {
  const { noun, thing, title = `${thing ? 'Edit' : 'New'} ${noun}` } = props
  const state = useForm(props)
  const { editing, kept, problem } = state
  const place = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (!props.isStanding) place.current?.querySelector<HTMLElement>('input, select, textarea')?.focus()
  }, [])
  const form = (
    <>
      <form class="form" onSubmit={state.submit} noValidate ref={place}>
        {kept.isRestored && (
          <p class="note" role="status">
            Continued from your unsaved draft.{' '}
            <button type="button" class="quiet" onClick={kept.discard}>
              Discard draft
            </button>
          </p>
        )}
        <Fields fields={state.fields} draft={editing.draft} set={editing.set} problem={problem} />
        {props.children?.(editing.draft)}
        {props.note && <p class="faint">{props.note}</p>}
        <ConcurrentEdits editing={editing} labels={state.labels} />
        <FormProblem problem={problem} fields={state.places} />
        <FormBar {...props} state={state} />
      </form>
      <Question {...props} state={state} />
    </>
  )
  return title === null ? form : <Panel title={title}>{form}</Panel>
}

type PartProps<T extends object, D extends object, C extends Operation, U extends Operation> = FormProps<T, D, C, U> & {
  state: FormState<T, D, C, U>
}

const permissionOf = ({
  thing,
  needs = {},
}: Pick<FormProps<object, object, Operation, Operation>, 'thing' | 'needs'>) =>
  thing ? (needs.update ?? 'service.update') : (needs.create ?? 'service.create')

const actionText = ({
  noun,
  thing,
  confirm,
}: {
  noun: string
  thing?: object | undefined
  confirm?: unknown
}): string => `${thing ? 'Save' : `Create ${noun}`}${confirm ? '…' : ''}`

function FormBar<T extends object, D extends object, C extends Operation, U extends Operation>(
  props: PartProps<T, D, C, U>,
) {
  const { confirm, state, onClose, isDanger = false } = props
  const { draft } = state.editing
  const close = () => {
    state.kept.drop()
    onClose?.()
  }
  return (
    <p class="bar">
      <Act
        type="submit"
        needs={permissionOf(props)}
        class={isDanger ? 'danger' : 'main'}
        disabled={state.isBusy || state.isSame || props.isDisabled?.(draft) === true}
      >
        {props.action ?? actionText(props)}
      </Act>{' '}
      {onClose && (
        <button type="button" onClick={close}>
          Cancel
        </button>
      )}
      {!confirm && <CopyRequest state={state} />}
      <Same isSame={state.isSame} />
      {props.after?.(state.doing.problem ? undefined : state.doing.done)}
    </p>
  )
}

/** As it may be copied: secrets are left out, wherever the request has them. */
function CopyRequest<T extends object, D extends object, C extends Operation, U extends Operation>({
  state: { operation, request, editing, secrets },
}: Pick<PartProps<T, D, C, U>, 'state'>) {
  const typed = [...secrets].map((name) => String(editing.draft[name as keyof D]))
  const values = new Set<unknown>(typed.flatMap((text) => [text, text.trim(), text.replaceAll(' ', '')]))
  values.delete('')
  const body: unknown = JSON.parse(JSON.stringify(request.body), (_, value: unknown) =>
    values.has(value) ? '...' : value,
  )
  return <Copy label="Copy as curl" text={curlOf(operation, request.params, {}, body)} />
}

function Question<T extends object, D extends object, C extends Operation, U extends Operation>({
  confirm,
  state,
  isDanger,
}: PartProps<T, D, C, U>) {
  if (!state.isAsked || !confirm) return null
  const { title, action, children } = confirm(state.editing.draft)
  return (
    <ConfirmDialog
      operation={state.operation}
      {...state.request}
      doing={state.doing}
      title={title}
      action={action}
      isDanger={isDanger}
      settle={state.editing.settle}
      closesOnProblem
      onDone={state.done}
      onClose={() => state.setAsked(false)}
    >
      {children}
    </ConfirmDialog>
  )
}
