/** Chooses resources of the inventory by their names; uids that it does not know may be typed too. */
import { useId, useState } from 'preact/hooks'
import type { Reply } from '../api.ts'
import { useReport } from '../report.ts'
import { may } from '../session.ts'

type InventoryResources = Reply<'GET /resources'>
export type InventoryResource = InventoryResources[number]

export interface PickResourceProps {
  label: string
  chosen: readonly string[]
  onPick: (resource: InventoryResource | undefined, uid: string) => void
  onRemove?: (uid: string) => void
  /** Only what can be started and stopped. */
  schedulable?: boolean
  hint?: string
}

const shownMax = 8

export function PickResource({ label, chosen, onPick, onRemove, schedulable, hint }: PickResourceProps) {
  const id = useId()
  const [search, setSearch] = useState('')
  const isAsked = search.trim() !== '' && may('space.view')
  const report = useReport('GET /resources', {
    query: { search: search.trim(), schedulable, limit: shownMax },
    when: isAsked,
  })
  const found = isAsked ? (report.data ?? ([] as InventoryResources)).filter(({ uid }) => !chosen.includes(uid)) : []
  const pick = (resource: InventoryResource | undefined, uid: string) => {
    onPick(resource, uid)
    setSearch('')
  }
  const typed = search.trim()
  const isNew = typed !== '' && !chosen.includes(typed) && !found.some(({ uid }) => uid === typed)
  return (
    <div class="field pick-resource">
      <label for={id}>{label}</label>
      {onRemove && chosen.length > 0 && (
        <ul class="chips">
          {chosen.map((uid) => (
            <li class="chip" key={uid}>
              <span class="clip" dir="auto" title={uid}>
                {uid}
              </span>{' '}
              <button type="button" aria-label={`Remove ${uid}`} onClick={() => onRemove(uid)}>
                ✕
              </button>
            </li>
          ))}
        </ul>
      )}
      <input
        id={id}
        type="search"
        autocomplete="off"
        value={search}
        onInput={(event: Event) => setSearch((event.target as HTMLInputElement).value)}
        placeholder="Name or UID"
      />
      {hint && <span class="hint">{hint}</span>}
      {typed !== '' && (
        <ul class="found">
          {found.map((one) => (
            <li key={one.id}>
              <button type="button" class="quiet" onClick={() => pick(one, one.uid)}>
                Add{' '}
                <strong class="clip" dir="auto" title={one.name}>
                  {one.name}
                </strong>{' '}
                <span class="faint">
                  {one.uid} · {one.type} · {one.status}
                </span>
              </button>
            </li>
          ))}
          {isNew && (
            <li>
              <button type="button" class="quiet" onClick={() => pick(undefined, typed)}>
                Add UID <code>{typed}</code> as typed
              </button>
            </li>
          )}
        </ul>
      )}
    </div>
  )
}
