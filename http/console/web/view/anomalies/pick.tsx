/** Several values of one parameter of the address. */
import { change, params } from '../../router.ts'
import { Clip } from '../../part/clip.tsx'

interface Option {
  value: string
  title: string
}

export interface PickProps {
  title: string
  /** The parameter it sets. */
  name: string
  options: readonly Option[]
  /** Where there are too many to show: what is typed to find others. */
  onSearch?: ((text: string) => void) | undefined
}

const closeOnEscape = (event: KeyboardEvent) => {
  if (event.key !== 'Escape') return
  const box = event.currentTarget as HTMLDetailsElement
  box.open = false
  box.querySelector('summary')?.focus()
}

export function Pick({ title, name, options, onSearch }: PickProps) {
  const chosen = params(name).filter((value) => value !== '')
  const known = new Map(options.map(({ value, title: text }) => [value, text]))
  // What the address asks for can be taken away whatever it is.
  const others = chosen.filter((value) => !known.has(value)).map((value) => ({ value, title: value }))
  const set = (value: string, isOn: boolean) => {
    const left = chosen.filter((one) => one !== value)
    change({ [name]: isOn ? [...left, value] : left, page: null })
  }
  const said = chosen.length === 0 ? 'any' : chosen.map((value) => known.get(value) ?? value).join(', ')
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- Esc in any of its controls closes it
    <details class="pick" name="anomaly-filter" onKeyDown={closeOnEscape}>
      <summary>
        <span class="faint">{title}</span> <Clip text={said} />
      </summary>
      <fieldset class="pop">
        <legend class="unseen">{title}</legend>
        {onSearch && (
          <input
            type="search"
            aria-label={`Find: ${title}`}
            placeholder="Find…"
            onInput={(event: Event) => onSearch((event.target as HTMLInputElement).value)}
          />
        )}
        {[...others, ...options].map((one) => (
          <label key={one.value}>
            <input
              type="checkbox"
              checked={chosen.includes(one.value)}
              onChange={(event: Event) => set(one.value, (event.target as HTMLInputElement).checked)}
            />{' '}
            <Clip text={one.title} title={one.value} size="wide" />
          </label>
        ))}
        {options.length === 0 && others.length === 0 && <p class="faint">None found.</p>}
        {chosen.length > 0 && (
          <button type="button" class="quiet" onClick={() => change({ [name]: null, page: null })}>
            Any
          </button>
        )}
      </fieldset>
    </details>
  )
}
