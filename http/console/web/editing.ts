/**
 * A thing that is being changed while others may change it too: what is typed stands against what the form was opened with.
 * Before anything is sent the thing is looked at once more; what others changed is said, and what both did is asked.
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import { problemOf, type Problem } from './problem.ts'

export interface ConcurrentEdit {
  name: string
  before: unknown
  theirs: unknown
  /** Of a field that was changed here too: what was typed, and whose of both is to be. */
  both?: { mine: unknown; chosen: 'mine' | 'theirs' | undefined }
}

const areSame = (some: unknown, other: unknown): boolean => JSON.stringify(some) === JSON.stringify(other)

/** The members of `now` that are others than in `before`. */
export const diffFields = <B extends object>(before: B, now: B): Partial<B> =>
  Object.fromEntries(
    Object.entries(now).filter(([name, value]) => !areSame(value, before[name as keyof B])),
  ) as Partial<B>

export interface EditState<D> {
  /** As the thing is known to be. */
  base: D
  draft: D
  meanwhile: readonly ConcurrentEdit[]
}

/** What others have made of it: fields that were not touched here are theirs, of the rest it is asked. Pure. */
export function mergeChanges<D extends object>({ base, draft, meanwhile }: EditState<D>, now: D): EditState<D> {
  const said = new Map(meanwhile.map((one) => [one.name, one]))
  const next = { ...draft }
  for (const name of Object.keys(diffFields(base, now)) as (keyof D & string)[]) {
    const before = said.has(name) ? said.get(name)!.before : base[name]
    const isTouched = !areSame(draft[name], base[name]) && !areSame(draft[name], now[name])
    if (!isTouched) next[name] = now[name]
    said.set(name, {
      name,
      before,
      theirs: now[name],
      ...(isTouched && { both: { mine: draft[name], chosen: undefined } }),
    })
    if (!isTouched && areSame(before, now[name])) said.delete(name)
  }
  return { base: now, draft: next, meanwhile: [...said.values()] }
}

/** Of a field that both have changed: whose is to be. Pure. */
export function resolveConflict<D extends object>(
  edited: EditState<D>,
  name: string,
  whose: 'mine' | 'theirs',
): EditState<D> {
  const meanwhile = edited.meanwhile.map((one) =>
    one.name === name && one.both ? { ...one, both: { ...one.both, chosen: whose } } : one,
  )
  const one = meanwhile.find((each) => each.name === name)
  const value = whose === 'mine' ? one?.both?.mine : one?.theirs
  return { ...edited, draft: { ...edited.draft, [name]: value }, meanwhile }
}

export interface Editing<T, D extends object> extends EditState<D> {
  /** The thing as it is known to be. */
  thing: T | undefined
  /** What is there, in the words of the form; undefined of what is made. */
  before: D | undefined
  set: (changes: Partial<D>) => void
  choose: (name: string, whose: 'mine' | 'theirs') => void
  /** Looks at the thing once more, then calls back where nothing stands against sending what is typed. */
  settle: (then: () => void) => Promise<void>
  /** What is typed was saved. */
  saved: () => void
  isLooking: boolean
  /** Why the thing could not be looked at. */
  problem: Problem | undefined
}

export interface EditingProps<T, D extends object> {
  /** Undefined: one is made, which nobody else has. */
  thing: T | undefined
  begun: (thing: T | undefined) => D
  /** Asks for the thing as it is at this moment. */
  look: () => Promise<T | undefined>
}

export function useEditing<T, D extends object>({ thing, begun, look }: EditingProps<T, D>): Editing<T, D> {
  const [, drawn] = useState(0)
  const state = useRef<EditState<D> & Pick<Editing<T, D>, 'thing' | 'isLooking' | 'problem'>>(undefined!)
  if (state.current === undefined) {
    const base = begun(thing)
    state.current = { base, draft: base, meanwhile: [], thing, isLooking: false, problem: undefined }
  }
  const put = (changes: Partial<typeof state.current>) => {
    state.current = { ...state.current, ...changes }
    drawn((n) => n + 1)
  }
  /** Whether it was another one. */
  const take = (now: T): boolean => {
    const next = begun(now)
    const isOther = !areSame(next, state.current.base)
    if (isOther) put({ ...mergeChanges(state.current, next), thing: now })
    return isOther
  }
  const known = thing === undefined ? '' : JSON.stringify(begun(thing))
  const first = useRef(known)
  useEffect(() => {
    if (known === first.current) return
    first.current = known
    take(thing!)
  }, [known])
  const looked = async (): Promise<boolean> => {
    if (state.current.thing === undefined) return true
    put({ isLooking: true, problem: undefined })
    try {
      const now = await look()
      put({ isLooking: false })
      if (now !== undefined && take(now)) return false
      return state.current.meanwhile.every(({ both }) => !both || both.chosen !== undefined)
    } catch (error) {
      put({ isLooking: false, problem: problemOf(error) })
      return false
    }
  }
  return {
    ...state.current,
    before: state.current.thing === undefined ? undefined : state.current.base,
    set: (changes) => put({ draft: { ...state.current.draft, ...changes } }),
    choose: (name, whose) => put(resolveConflict(state.current, name, whose)),
    settle: async (then) => {
      if (!state.current.isLooking && (await looked())) then()
    },
    saved: () => put({ base: state.current.draft, meanwhile: [] }),
  }
}
