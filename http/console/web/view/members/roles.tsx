/** The roles: what each allows, whose costs it shows, and who has it. */
import { pluralize } from '../../figure.ts'
import { change, hrefOf, param } from '../../router.ts'
import { useReport } from '../../report.ts'
import { Clip } from '../../part/clip.tsx'
import { ConfirmButton } from '../../part/confirm-dialog.tsx'
import type { Column } from '../../part/list/column.tsx'
import { ListView } from '../../part/list/list-view.tsx'
import type { Members, Role } from './role-options.ts'
import { RoleForm } from './role-form.tsx'

const pageSize = 20
const filters = [{ name: 'search', title: 'Search' }]

export function Roles() {
  const query = { page: param('page') ?? 1, limit: pageSize, search: param('search') }
  const report = useReport('GET /roles', { query })
  const members = useReport('GET /members')
  const edited = param('edit')
  const isForm = param('new') !== undefined || edited !== undefined
  const close = () => change({ new: null, edit: null })
  return (
    <>
      {isForm && <RoleForm key={edited ?? 'new'} id={edited} onClose={close} onDone={report.again} />}
      <ListView
        title="Roles"
        noun="roles"
        report={report}
        columns={columnsOf(members.data ?? [], report.again)}
        filters={filters}
        pageSize={pageSize}
        tools={
          !isForm && (
            <button type="button" class="main" onClick={() => change({ new: 1 })}>
              New role
            </button>
          )
        }
        empty={{ title: 'No roles yet.' }}
      />
    </>
  )
}

const columnsOf = (members: Members, again: () => void): Column<Role>[] => [
  {
    title: 'Role',
    text: ({ name }) => name,
    show: ({ id, name, system }) => (
      <>
        <Clip text={name} size="wide" /> {system && <span class="badge">built-in</span>}{' '}
        {id === param('role') && <span class="badge">selected</span>}
      </>
    ),
  },
  {
    title: 'Permissions',
    isLong: true,
    csv: ({ permissions }) => permissions.join(' '),
    show: ({ id, permissions }) => <Permissions id={id} permissions={permissions} />,
  },
  { title: 'Cost access', show: ({ reportScope }) => scopeText(reportScope) },
  { title: 'Members', count: ({ id }) => members.filter(({ roleID }) => roleID === id).length },
  { title: 'Changed', ago: ({ updatedAt, system }) => (system ? null : updatedAt), none: 'never' },
  {
    title: 'Actions',
    isAction: true,
    show: (one) =>
      one.system ? <span class="faint">cannot be changed</span> : <RoleActions role={one} again={again} />,
  },
]

const RoleActions = ({ role: { id, name }, again }: { role: Role; again: () => void }) => (
  <span class="nowrap">
    <button
      type="button"
      class="quiet"
      aria-label={`Edit role ${name}`}
      onClick={() => change({ edit: id, new: null })}
    >
      Edit
    </button>{' '}
    <ConfirmButton
      operation="DELETE /roles/:roleID"
      params={{ roleID: id }}
      needs="admin"
      class="quiet"
      isDanger
      label="Delete…"
      name={`Delete role ${name}`}
      title="Delete this role?"
      action="Delete role"
      onDone={again}
    >
      <p>
        Role <strong dir="auto">{name}</strong> is permanently deleted. You can create a similar one. A role assigned to
        a member cannot be deleted:{' '}
        <a href={hrefOf('members', { search: id })}>assign those members another role first</a>.
      </p>
    </ConfirmButton>
  </span>
)

/** By what they are about: space view, create. */
function Permissions({ id, permissions }: { id: string; permissions: readonly string[] }) {
  if (permissions.length === 0) return <span class="faint">none</span>
  const about = [...Map.groupBy(permissions, (one) => one.split('.')[0]!)]
  return (
    <>
      {about.map(([name, some]) => (
        <span class="sub" key={name}>
          <code>{name}</code> {some.map((one) => one.split('.')[1]).join(', ')}
        </span>
      ))}
      {['owner', 'admin'].includes(id) && <span class="sub">members, roles, settings, security</span>}
    </>
  )
}

const scopeText = ({ all, cloudAccountIDs, teamIDs }: Role['reportScope']): string =>
  all ? 'all' : `${pluralize(cloudAccountIDs.length, 'account')}, ${pluralize(teamIDs.length, 'team')}`
