/** Views under a name: saving the one that is shown, and those that are saved in the menu. */
import { signal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import { curlOf } from '../address.ts'
import type { Reply } from '../api.ts'
import { go, hrefOf, currentRoute } from '../router.ts'
import { useRequest, useReport, type Report } from '../report.ts'
import { may, session } from '../session.ts'
import { Copy } from './copy.tsx'
import { Drawer } from './drawer.tsx'
import { ChoiceField, FormProblem, TextField } from './form.tsx'

export type SavedViews = Reply<'GET /saved-views'>
export type SavedView = SavedViews[number]

/** Counts changes made in this page: whoever lists them asks anew. */
const changes = signal(0)
export const savedChanged = (): void => {
  changes.value += 1
}

export function useSaved(): Report<SavedViews> {
  const report = useReport('GET /saved-views', { when: may('service.view') })
  const before = useRef(changes.value)
  const now = changes.value
  useEffect(() => {
    if (before.current === now) return
    before.current = now
    report.again()
  }, [now])
  return report
}

/** What views are called, by name: the frame says it, for views do not know of each other. */
export const titles = new Map<string, string>()

export const hrefOfSaved = ({ view, query }: Pick<SavedView, 'view' | 'query'>): string =>
  hrefOf(view, new URLSearchParams(query))

/** What belongs to what is opened at the moment, and not to the view. */
const passing = ['receipt', 'figure', 'page']

function getCurrentView(): { view: string; query: string } {
  const query = new URLSearchParams(currentRoute.value.query)
  for (const name of passing) query.delete(name)
  return { view: currentRoute.value.view, query: query.toString() }
}

export const getSharingOptions = (): { value: string; title: string }[] => [
  { value: 'me', title: 'Only me' },
  ...(may('service.create') ? [{ value: 'organization', title: 'Everyone in the organization' }] : []),
]

/** Letters of a name, at most. */
const nameMax = 100
/** A name that is too long is kept as it was typed, and said to be. */
export const nameHint = (name: string): string | undefined =>
  name.trim().length > nameMax ? `At most ${nameMax} characters; this name has ${name.trim().length}.` : undefined

/** Of the view that is shown, which is called `title`. */
export function SaveView({ title }: { title: string }) {
  const [isOpen, setOpen] = useState(false)
  if (currentRoute.value.view === 'saved' || !may('service.view')) return null
  return (
    <>
      <button type="button" class="quiet" onClick={() => setOpen(true)}>
        Save view
      </button>
      {isOpen && <SaveForm title={title} onClose={() => setOpen(false)} />}
    </>
  )
}

function SaveForm({ title, onClose }: { title: string; onClose: () => void }) {
  const [name, setName] = useState('')
  const [shared, setShared] = useState('me')
  const doing = useRequest('POST /saved-views')
  const body = { name: name.trim(), ...getCurrentView(), shared }
  const save = (event: Event) => {
    event.preventDefault()
    void doing.run({ body }, savedChanged)
  }
  if (doing.done)
    return (
      <Drawer title="Saved" onClose={onClose}>
        <p>
          The view is now in the menu as{' '}
          <span class="clip" dir="auto" title={doing.done.name}>
            {doing.done.name}
          </span>
          .
        </p>
        <p class="bar">
          <button type="button" class="main" onClick={onClose}>
            Done
          </button>{' '}
          <button type="button" onClick={() => toSaved(doing.done!.id, onClose)}>
            {doing.done.isMailable ? 'Email it weekly…' : 'All saved views'}
          </button>
        </p>
      </Drawer>
    )
  return (
    <Drawer title="Save this view" onClose={onClose}>
      <form class="form" onSubmit={save} noValidate>
        <p>
          Saves {title} with its current period, filters and sort order. Relative periods, such as this month, keep
          following the calendar.
        </p>
        <TextField
          label="Name"
          value={name}
          onValue={setName}
          at="/name"
          problem={doing.problem}
          hint={nameHint(name)}
          required
        />
        <ChoiceField
          label="Visible to"
          value={shared}
          onValue={setShared}
          options={getSharingOptions()}
          at="/shared"
          problem={doing.problem}
        />
        <FormProblem problem={doing.problem} fields={['/name', '/shared']} />
        <p class="bar">
          <button type="submit" class="main" disabled={doing.isBusy}>
            {doing.isBusy ? 'Saving…' : 'Save'}
          </button>{' '}
          <Copy label="Copy as curl" text={curlOf('POST /saved-views', {}, {}, body)} />
        </p>
      </form>
    </Drawer>
  )
}

function toSaved(id: string, onClose: () => void): void {
  onClose()
  go('saved', { saved: id })
}

/** Of each kind in the menu, at most. */
const listedMax = 8

/** Yours and the organization's, each where there is any. */
export function SavedMenu() {
  const { data } = useSaved()
  if (!data || data.length === 0 || !session.value?.orgID) return null
  const mine = data.filter(({ shared }) => shared === 'me')
  const ours = data.filter(({ shared }) => shared === 'organization')
  return (
    <>
      <SavedViewList title="My views" views={mine} />
      <SavedViewList title="Shared views" views={ours} />
    </>
  )
}

function SavedViewList({ title, views: some }: { title: string; views: SavedViews }) {
  if (some.length === 0) return null
  return (
    <>
      <h2>{title}</h2>
      <ul>
        {some.slice(0, listedMax).map((one) => (
          <li key={one.id}>
            <a class="clip" dir="auto" title={one.name} href={hrefOfSaved(one)}>
              {one.name}
            </a>
          </li>
        ))}
        {some.length > listedMax && (
          <li>
            <a href={hrefOf('saved')}>{some.length - listedMax} more</a>
          </li>
        )}
      </ul>
    </>
  )
}
