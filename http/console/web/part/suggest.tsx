/** A text field with values to choose from: typing narrows them, arrows choose, Enter takes one or what was typed. */
import { useRef, useState } from 'preact/hooks'
import type { Problem } from '../problem.ts'

export interface Suggestion {
  value: string
  label: string
  /** Beside it: its cost. */
  detail?: string
}

export interface SuggestProps {
  /** Of the field and its list in the page. */
  id: string
  label: string
  text: string
  suggestions: readonly Suggestion[]
  isAsking?: boolean
  problem?: Problem | undefined
  isSearch?: boolean
  onText: (text: string) => void
  /** The list is opened: now it is worth asking what is in it. */
  onOpen: () => void
  onPick: (value: string) => void
}

/** Shown at once; the rest by typing. */
const shownMax = 40

const matching = (all: readonly Suggestion[], text: string): Suggestion[] => {
  const wanted = text.trim().toLocaleLowerCase()
  return all.filter(
    ({ value, label }) => value.toLocaleLowerCase().includes(wanted) || label.toLocaleLowerCase().includes(wanted),
  )
}

/** What is called exactly as was typed. */
const findByLabel = (all: readonly Suggestion[], text: string): Suggestion | undefined =>
  all.find(({ label }) => label.toLocaleLowerCase() === text.trim().toLocaleLowerCase())

export function Suggest(props: SuggestProps) {
  const { id, label, text, suggestions, onText, onOpen, onPick } = props
  const [isOpen, setOpen] = useState(false)
  const [at, setAt] = useState(-1)
  const list = useRef<HTMLUListElement>(null)
  const found = matching(suggestions, text)
  const shown = found.slice(0, shownMax)
  const open = () => {
    if (!isOpen) onOpen()
    setOpen(true)
  }
  const take = (value: string) => {
    setAt(-1)
    if (value.trim() !== '') onPick(value)
  }
  const move = (to: number) => {
    open()
    const next = Math.max(-1, Math.min(shown.length - 1, to))
    setAt(next)
    list.current?.children[next]?.scrollIntoView({ block: 'nearest' })
  }
  const pressed = (event: KeyboardEvent) => {
    const action = {
      ArrowDown: () => move(at + 1),
      ArrowUp: () => move(at - 1),
      Enter: () => take((shown[at] ?? findByLabel(found, text))?.value ?? text),
      Escape: () => setOpen(false),
    }[event.key]
    if (!action) return
    event.preventDefault()
    action()
  }
  const typed = (event: Event) => {
    onText((event.target as HTMLInputElement).value)
    setAt(-1)
    open()
  }
  return (
    <span class="suggest">
      <input
        id={id}
        type="text"
        role="combobox"
        autocomplete="off"
        spellcheck={false}
        aria-label={label}
        placeholder={label}
        aria-autocomplete="list"
        aria-expanded={isOpen}
        aria-controls={`${id}-list`}
        aria-activedescendant={isOpen && at >= 0 ? `${id}-${at}` : undefined}
        data-search={props.isSearch ? '' : undefined}
        value={text}
        onInput={typed}
        onFocus={open}
        onClick={open}
        onBlur={() => setOpen(false)}
        onKeyDown={pressed}
      />
      <div class="suggest-list" hidden={!isOpen}>
        <ul id={`${id}-list`} role="listbox" aria-label={label} ref={list}>
          {shown.map((one, n) => (
            <li
              key={one.value}
              id={`${id}-${n}`}
              role="option"
              aria-selected={n === at}
              onPointerDown={(event: Event) => {
                event.preventDefault()
                take(one.value)
              }}
            >
              <span class="clip wide" title={one.value}>
                {one.label}
              </span>
              {one.detail && <span class="figure faint">{one.detail}</span>}
            </li>
          ))}
        </ul>
        <SuggestStatus {...props} found={found.length} />
      </div>
    </span>
  )
}

function SuggestStatus({ isAsking, problem, text, found }: SuggestProps & { found: number }) {
  const said = problem
    ? problem.message
    : isAsking && found === 0
      ? 'Loading values…'
      : found === 0
        ? text.trim() === ''
          ? 'No values in this period.'
          : 'No matches in this period. Press Enter to use this value anyway.'
        : found > shownMax
          ? `${shownMax} of ${found} shown. Type to narrow the list.`
          : ''
  return said === '' ? null : (
    <p class="faint" role="status">
      {said}
    </p>
  )
}
