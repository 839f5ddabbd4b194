/** Creates a dashboard, or renames and shares it. */
import { ask } from '../../api.ts'
import { Form } from '../../part/form/form.tsx'
import type { FormField } from '../../part/form/field.tsx'
import { getSharingOptions, nameHint, titles, type SavedViews } from '../../part/saved-views.tsx'
import { hrefOf } from '../../router.ts'
import type { Dashboard } from './list.tsx'

interface Draft {
  name: string
  shared: string
  viewIDs: string[]
}

const startDraft = (dashboard: Dashboard | undefined): Draft => ({
  name: dashboard?.name ?? '',
  shared: dashboard?.shared ?? 'me',
  viewIDs: [],
})

interface DashboardFormProps {
  /** Undefined: one is created. */
  dashboard?: Dashboard
  saved: SavedViews
  onClose: () => void
  onDone: (made: Dashboard) => void
}

export function DashboardForm({ dashboard, saved, onClose, onDone }: DashboardFormProps) {
  /** One for everybody has only what everybody sees. */
  const offered = (shared: string) => saved.filter((one) => shared === 'me' || one.shared === 'organization')
  const fields = (draft: Draft): FormField<Draft>[] => [
    { name: 'name', label: 'Name', isRequired: true, placeholder: 'Every Monday', help: nameHint(draft.name) },
    (!dashboard || dashboard.isMine) && {
      name: 'shared',
      label: 'Visible to',
      kind: 'choice',
      options: getSharingOptions(),
      help: draft.shared === 'organization' && 'It shows only saved views that are visible to everyone too.',
    },
    !dashboard && viewsField(offered(draft.shared)),
  ]
  return (
    <Form
      noun="dashboard"
      thing={dashboard}
      begun={startDraft}
      look={async () => (await ask('GET /dashboards')).data.find(({ id }) => id === dashboard!.id)}
      fields={fields}
      body={({ name, shared, viewIDs }, isNew) => ({
        name: name.trim(),
        shared,
        ...(isNew && { viewIDs: viewIDs.filter((id) => offered(shared).some((one) => one.id === id)) }),
      })}
      create="POST /dashboards"
      update="PATCH /dashboards/:dashboardID"
      needs={{ create: 'service.view', update: 'service.view' }}
      params={dashboard && { dashboardID: dashboard.id }}
      onClose={onClose}
      onDone={onDone}
    />
  )
}

const viewsField = (saved: SavedViews): FormField<Draft> =>
  saved.length > 0
    ? {
        name: 'viewIDs',
        label: 'Views',
        kind: 'checks',
        options: saved.map(({ id, name, view }) => ({ value: id, title: `${name} (${titles.get(view) ?? view})` })),
        help: 'You can add, remove and arrange them later.',
      }
    : {
        show: () => (
          <p class="faint">
            No saved views yet. Open a view such as the <a href={hrefOf('costs')}>Explorer</a> and choose Save view;
            then add it here.
          </p>
        ),
      }
