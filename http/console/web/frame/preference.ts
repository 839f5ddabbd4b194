/** What a person chose about the frame, remembered in this browser for them alone. */
import { signal, type Signal } from '@preact/signals'
import { session } from '../session.ts'

const keyOf = (name: string): string => JSON.stringify([name, session.value?.user.email ?? ''])

function read<T>(name: string, isValid: (value: unknown) => value is T, otherwise: T): T {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(keyOf(name)) ?? 'null')
    return isValid(value) ? value : otherwise
  } catch {
    return otherwise
  }
}

export interface Preference<T> {
  readonly value: T
  set: (value: T) => void
}

/** @param otherwise what holds where nothing was chosen, or what was kept is not understood */
export function preference<T>(name: string, isValid: (value: unknown) => value is T, otherwise: T): Preference<T> {
  const current: Signal<T> = signal(otherwise)
  let owner: string | undefined
  /** Read for the person who is signed in now. */
  const load = (): void => {
    const mine = keyOf(name)
    if (owner === mine) return
    owner = mine
    current.value = read(name, isValid, otherwise)
  }
  session.subscribe(load)
  return {
    get value() {
      return current.value
    },
    set: (value) => {
      current.value = value
      localStorage.setItem(keyOf(name), JSON.stringify(value))
    },
  }
}

const isText = (value: unknown): value is string => typeof value === 'string'
export const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText)
export const isFlag = (value: unknown): value is boolean => typeof value === 'boolean'
