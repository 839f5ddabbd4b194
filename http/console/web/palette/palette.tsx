/** Everything by its name: a text field, and a list that arrows walk through and Enter opens. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Icon } from '../frame/icon.tsx'
import { useSaved } from '../part/saved-views.tsx'
import { pluralize } from '../figure.ts'
import { useReport } from '../report.ts'
import { toFitting, toGroups, type PaletteEntry } from './entry.ts'
import { askedKinds, toEntries } from './found-entries.ts'
import { actionEntries, documentEntries, recentEntries, savedEntries, viewEntries } from './own-entries.ts'

/** Nothing is asked while somebody types, milliseconds. */
const pauseMs = 150
/** Letters that a search needs. */
const lettersMin = 2
/** Lines of each source, at most. */
const most = 6

export function Palette({ onClose }: { onClose: () => void }) {
  const box = useRef<HTMLDialogElement>(null)
  const field = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const { entries, isAsking } = useEntries(text.trim())
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null
    box.current!.showModal()
    field.current!.focus()
    return () => {
      // What was chosen has moved the keyboard already.
      if (document.activeElement === document.body) before?.focus?.()
    }
  }, [])
  const chosen = entries[Math.min(at, entries.length - 1)]
  const take = (entry: PaletteEntry) => {
    box.current!.close()
    onClose()
    entry.run()
  }
  const move = (by: number) => {
    if (entries.length === 0) return
    const next = (Math.min(at, entries.length - 1) + by + entries.length) % entries.length
    setAt(next)
    document.getElementById(idOf(entries[next]!))?.scrollIntoView({ block: 'nearest' })
  }
  const pressed = (event: KeyboardEvent) => {
    const action = { ArrowDown: () => move(1), ArrowUp: () => move(-1), Enter: () => chosen && take(chosen) }[event.key]
    if (!action || event.isComposing) return
    event.preventDefault()
    action()
  }
  const outside = (event: MouseEvent) => {
    if (event.target === box.current) onClose()
  }
  const typed = (event: Event) => {
    setText((event.target as HTMLInputElement).value)
    setAt(0)
  }
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions -- Esc closes it, too
    <dialog class="palette" aria-label="Search and commands" ref={box} onClose={onClose} onClick={outside}>
      <div class="palette-field">
        <Icon name="search" />
        <input
          ref={field}
          type="text"
          role="combobox"
          autocomplete="off"
          spellcheck={false}
          aria-label="Search and commands"
          aria-autocomplete="list"
          aria-expanded={entries.length > 0}
          aria-controls="palette-list"
          aria-activedescendant={chosen && idOf(chosen)}
          placeholder="Views, resources, teams, recommendations, actions…"
          value={text}
          onInput={typed}
          onKeyDown={pressed}
        />
        <button type="button" class="quiet" onClick={onClose}>
          Esc<span class="unseen"> closes the search</span>
        </button>
      </div>
      <div id="palette-list" class="palette-list" role="listbox" aria-label="Results">
        {toGroups(entries).map(([group, some]) => (
          <div key={group} role="group" aria-label={group}>
            <p class="palette-group" aria-hidden="true">
              {group}
            </p>
            {some.map((entry) => (
              <Line key={entry.id} entry={entry} isChosen={entry === chosen} onTake={take} />
            ))}
          </div>
        ))}
      </div>
      <p class="palette-said" role="status">
        {entries.length === 0 ? (isAsking ? 'Searching…' : 'Nothing found.') : pluralize(entries.length, 'result')}
        {entries.length > 0 && isAsking && ', searching for more…'}
      </p>
    </dialog>
  )
}

/** As an ID of the page has it. */
const idOf = ({ id }: PaletteEntry): string => `palette-${id.replaceAll(/\s+/g, '-')}`

interface LineProps {
  entry: PaletteEntry
  isChosen: boolean
  onTake: (entry: PaletteEntry) => void
}

const Line = ({ entry, isChosen, onTake }: LineProps) => (
  // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- the keyboard stays in the field
  <div id={idOf(entry)} role="option" class="palette-line" aria-selected={isChosen} onClick={() => onTake(entry)}>
    <Icon name={entry.icon} />
    <span class="clip wide" dir="auto" title={entry.title}>
      {entry.title}
    </span>
    {entry.detail && (
      <span class="faint clip wide" dir="auto" title={entry.detail}>
        {entry.detail}
      </span>
    )}
  </div>
)

/** What fits the text: recently seen first. While the API is asked again, what it found before stays if it still fits. */
function useEntries(text: string): { entries: PaletteEntry[]; isAsking: boolean } {
  const saved = useSaved().data
  const own = useMemo(
    () => ({
      recent: recentEntries(),
      rest: [viewEntries(), savedEntries(saved ?? []), actionEntries(), documentEntries()],
    }),
    [saved],
  )
  const asked = useSettled(text)
  const isSearched = asked.length >= lettersMin
  const report = useReport('GET /search', { query: { q: asked, kinds: askedKinds, limit: most }, when: isSearched })
  const found = useRef<PaletteEntry[]>([])
  if (report.data) found.current = toEntries(report.data)
  const isCurrent = isSearched && asked === text && report.data !== undefined
  const shown = text.length < lettersMin ? [] : isCurrent ? found.current : toFitting(found.current, text, Infinity)
  const isAsking = text.length >= lettersMin && !isCurrent && !report.problem
  if (text === '') return { entries: [...own.recent.slice(0, most), ...own.rest.flat()], isAsking }
  const fitting = [own.recent, ...own.rest].flatMap((some) => toFitting(some, text, most))
  return { entries: [...fitting, ...shown], isAsking }
}

/** The text once it has stayed the same for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}
