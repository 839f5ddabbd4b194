/** How a person has a list shown: hidden columns and row height, kept in this browser for each person and organization. */
import { useState } from 'preact/hooks'
import { viewerKey } from '../../session.ts'

export interface ListChoices {
  hidden: readonly string[]
  isDense: boolean
}

const none: ListChoices = { hidden: [], isDense: false }
const keyOf = (name: string): string => `list ${name} ${viewerKey()}`

/** What somebody else wrote there is not trusted. */
function read(name: string): ListChoices {
  try {
    const { hidden, isDense } = JSON.parse(localStorage.getItem(keyOf(name)) ?? '{}') as Partial<ListChoices>
    return { hidden: Array.isArray(hidden) ? hidden.map(String) : [], isDense: isDense === true }
  } catch {
    return none
  }
}

export function useListChoices(name: string): [ListChoices, (changes: Partial<ListChoices>) => void] {
  const [choices, setChoices] = useState(() => read(name))
  const set = (changes: Partial<ListChoices>) => {
    const next = { ...choices, ...changes }
    setChoices(next)
    localStorage.setItem(keyOf(name), JSON.stringify(next))
  }
  return [choices, set]
}
