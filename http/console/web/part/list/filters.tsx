/** What a list is narrowed by, all of it in the address: texts that are searched for, and choices of a few values. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { change, param } from '../../router.ts'
import { Choice } from '../period.tsx'

export interface ListFilter {
  /** The parameter of the address. */
  name: string
  title: string
  /** Values with their titles; left out: any text is searched for. */
  choices?: readonly (readonly string[])[] | undefined
  /** What a choice is called where nothing is chosen. */
  none?: string
  placeholder?: string
}

export const Filters = ({ filters }: { filters: readonly ListFilter[] }) => (
  <div class="bar" role="search" aria-label="Filters">
    {filters.map(({ name, title, choices, none = 'all', placeholder }) =>
      choices ? (
        <Choice key={name} name={name} title={title} none={none} choices={choices} />
      ) : (
        <Search key={name} name={name} title={title} placeholder={placeholder} />
      ),
    )}
  </div>
)

/** So long nothing is typed before it is asked, milliseconds. */
const typingMs = 250

export function Search({
  name = 'search',
  title = 'Search',
  placeholder,
}: Partial<Omit<ListFilter, 'placeholder'>> & {
  placeholder?: string | undefined
}) {
  const text = param(name) ?? ''
  const [typed, setTyped] = useState(text)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const told = useRef(text)
  useEffect(() => {
    // The address was changed elsewhere: what it says counts.
    if (text !== told.current) setTyped(text)
    told.current = text
  }, [text])
  useEffect(() => () => clearTimeout(timer.current), [])
  const tell = (search: string) => {
    clearTimeout(timer.current)
    if (search === told.current) return
    told.current = search
    change({ [name]: search || null, page: null }, { replace: true })
  }
  const type = (event: Event) => {
    const { value } = event.target as HTMLInputElement
    setTyped(value)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => tell(value), typingMs)
  }
  return (
    <label>
      {title}{' '}
      <input
        type="search"
        data-search
        class="search"
        dir="auto"
        maxlength={2048}
        placeholder={placeholder}
        value={typed}
        onInput={type}
        onChange={() => tell(typed)}
      />
    </label>
  )
}
