/** What a form holds and does: what is typed against what was there, its request, and sending it. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Operation, Reply } from '../../api.ts'
import { diffFields, useEditing, type Editing } from '../../editing.ts'
import type { Problem } from '../../problem.ts'
import { useRequest, type RequestState } from '../../report.ts'
import { labelsOf, placesOf, secretsOf, type FormField } from './field.tsx'
import { keepDraft, readDraft } from './kept-draft.ts'

type Params = Readonly<Record<string, string>>

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
  params?: Params | ((draft: D) => Params) | undefined
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
  /** Above the buttons, and after them. */
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

function idOf(thing: object | undefined): string {
  const { id = '' } = (thing ?? {}) as { id?: string }
  return id
}

/** What is sent: all of what is created; of what is there only what was changed, unless the API wants it whole. */
function toRequest<D extends object>(
  { base, draft }: { base: D; draft: D },
  bodyOf: (draft: D, isNew: boolean) => object,
  isNew: boolean,
  isWhole: boolean,
): { body: object; isSame: boolean } {
  if (isNew) return { body: bodyOf(draft, true), isSame: false }
  const changed = diffFields(bodyOf(base, false), bodyOf(draft, false))
  return { body: isWhole ? bodyOf(draft, false) : changed, isSame: Object.keys(changed).length === 0 }
}

export function useForm<T extends object, D extends object, C extends Operation, U extends Operation>(
  props: FormProps<T, D, C, U>,
) {
  const { noun, thing, isStanding = false, isWhole = false, body: bodyOf = (draft: D): object => draft } = props
  const editing = useEditing<T, D>({ thing, begun: props.begun, look: props.look ?? (() => Promise.resolve(thing)) })
  const { draft, base, set } = editing
  const fields = props.fields(draft, set)
  const secrets = secretsOf(fields)
  const kept = useKeptDraft(`${noun} ${idOf(thing)}`, editing, secrets)
  const operation = (thing ? props.update : props.create) as C & U
  const doing = useRequest(operation) as RequestState<Reply<C> & Reply<U>>
  const [isAsked, setAsked] = useState(false)
  const { body, isSame } = toRequest(editing, bodyOf, thing === undefined, isWhole)
  const params = typeof props.params === 'function' ? props.params(draft) : props.params
  const request = { ...(params && { params }), body }
  const done = (saved: Reply<C> & Reply<U>) => {
    kept.drop()
    if (isStanding && thing) editing.saved()
    else if (isStanding) set(base)
    props.onDone?.(saved)
  }
  const submit = (event: Event) => {
    event.preventDefault()
    void editing.settle(() => (props.confirm ? setAsked(true) : void doing.run(request, done)))
  }
  return {
    editing,
    fields,
    places: placesOf(fields),
    labels: { ...labelsOf(fields), ...props.labels },
    secrets,
    kept,
    operation,
    request,
    doing,
    problem: doing.problem ?? props.problem,
    isSame,
    isBusy: doing.isBusy || editing.isLooking,
    isAsked,
    setAsked,
    submit,
    done,
  }
}
export type FormState<T extends object, D extends object, C extends Operation, U extends Operation> = ReturnType<
  typeof useForm<T, D, C, U>
>

/** Puts back what was typed before, and keeps what is typed. */
function useKeptDraft<T, D extends object>(
  name: string,
  { draft, base, set }: Pick<Editing<T, D>, 'draft' | 'base' | 'set'>,
  secrets: ReadonlySet<string>,
) {
  const [isRestored, setRestored] = useState(false)
  const isOver = useRef(false)
  const isFirst = useRef(true)
  useEffect(() => {
    const before = readDraft(name, base)
    if (!before) return
    set(before)
    setRestored(true)
  }, [])
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
