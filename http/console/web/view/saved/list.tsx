/** The saved views, each leading to what it shows. */
import { useState } from 'preact/hooks'
import { curlOf } from '../../address.ts'
import { timeText } from '../../day.ts'
import { go, param } from '../../router.ts'
import { useRequest } from '../../report.ts'
import { Confirm } from '../../part/confirm.tsx'
import { Copy } from '../../part/copy.tsx'
import { hrefOfSaved, savedChanged, titles, type SavedView, type SavedViews } from '../../part/saved-views.tsx'
import { Table } from '../../part/table.tsx'

const titleOf = (view: string): string => titles.get(view) ?? view

export function List({ saved }: { saved: SavedViews }) {
  const [deleting, setDeleting] = useState<SavedView | undefined>()
  return (
    <>
      {deleting && <Delete saved={deleting} onClose={() => setDeleting(undefined)} />}
      <Table caption="Saved views" columns={columnsOf(setDeleting)} rows={saved} keyOf={({ id }: SavedView) => id} />
    </>
  )
}

const columnsOf = (setDeleting: (saved: SavedView) => void) => [
  {
    key: 'name',
    title: 'Name',
    by: ({ name }: SavedView) => name,
    show: (one: SavedView) => (
      <a class="clip" dir="auto" title={one.name} href={hrefOfSaved(one)}>
        {one.name}
      </a>
    ),
  },
  {
    key: 'view',
    title: 'View',
    by: ({ view }: SavedView) => titleOf(view),
    show: ({ view }: SavedView) => titleOf(view),
  },
  {
    key: 'shared',
    title: 'Visible to',
    by: ({ shared }: SavedView) => shared,
    show: ({ shared, isMine }: SavedView) =>
      shared === 'me' ? (
        'only me'
      ) : (
        <>
          everyone
          {isMine ? (
            ''
          ) : (
            <>
              {' '}
              <span class="faint">by someone else</span>
            </>
          )}
        </>
      ),
  },
  {
    key: 'updated',
    title: 'Changed',
    by: ({ updatedAt }: SavedView) => updatedAt,
    show: ({ updatedAt }: SavedView) => <span class="nowrap">{timeText(updatedAt)}</span>,
  },
  {
    key: 'do',
    title: 'Actions',
    show: (one: SavedView) => (
      <span class="nowrap">
        <button
          type="button"
          class="quiet"
          aria-label={`Email ${one.name}`}
          onClick={() => go('saved', { saved: one.id })}
        >
          Email
        </button>{' '}
        {one.mayChange ? (
          <>
            <button
              type="button"
              class="quiet"
              aria-label={`Edit ${one.name}`}
              onClick={() => go('saved', { saved: one.id, edit: 'yes' })}
            >
              Edit
            </button>{' '}
            <button type="button" class="quiet" aria-label={`Delete ${one.name}`} onClick={() => setDeleting(one)}>
              Delete
            </button>
          </>
        ) : (
          <span class="faint" title="Only its creator, owners and admins can change it">
            not yours
          </span>
        )}
      </span>
    ),
  },
]

function Delete({ saved, onClose }: { saved: SavedView; onClose: () => void }) {
  const doing = useRequest('DELETE /saved-views/:savedViewID')
  const params = { savedViewID: saved.id }
  const run = () =>
    void doing.run({ params }, () => {
      savedChanged()
      // What is open below would be asked for again.
      if (param('saved') === saved.id) go('saved')
      onClose()
    })
  return (
    <Confirm
      title={`Delete ${saved.name}?`}
      action="Delete view"
      isDanger
      doing={doing}
      onConfirm={run}
      onClose={onClose}
    >
      <p>
        {saved.shared === 'me'
          ? 'It is removed from your menu'
          : 'It is removed from the menu of everyone in the organization'}
        , and is no longer emailed. The data it shows is not affected.
      </p>
      <p>This cannot be undone. You can save the view again, but must recreate its schedules.</p>
      <p>
        <Copy label="Copy as curl" text={curlOf('DELETE /saved-views/:savedViewID', params)} />
      </p>
    </Confirm>
  )
}
