/** The roles: what each allows, whose costs it shows, and who has it. */
import { useState } from 'preact/hooks'
import { curlOf } from '../../address.ts'
import type { Reply } from '../../api.ts'
import { ago, timeText } from '../../day.ts'
import { pluralize } from '../../figure.ts'
import { change, hrefOf, param } from '../../router.ts'
import { useRequest, useReport } from '../../report.ts'
import { Confirm } from '../../part/confirm.tsx'
import { Copies, Copy } from '../../part/copy.tsx'
import { Panel } from '../../part/panel.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import { Pages, Table } from '../../part/table.tsx'
import type { Members, Role } from './role-options.ts'
import { RoleForm } from './role-form.tsx'

type Page = Reply<'GET /roles'>

const pageSize = 20

export function Roles() {
  const page = Number(param('page') ?? 1)
  const search = param('search')
  const report = useReport('GET /roles', { query: { page, limit: pageSize, search } })
  const members = useReport('GET /members')
  const edited = param('edit')
  const isForm = param('new') !== undefined || edited !== undefined
  const close = () => change({ new: null, edit: null })
  const find = (event: Event) =>
    change({ search: (event.target as HTMLInputElement).value || null, page: null }, { replace: true })
  return (
    <>
      {isForm && <RoleForm key={edited ?? 'new'} id={edited} onClose={close} onDone={report.again} />}
      <Panel
        title="Roles"
        tools={
          <>
            {!isForm && (
              <button type="button" class="main" onClick={() => change({ new: 1 })}>
                New role
              </button>
            )}
            <Copies report={report} />
          </>
        }
      >
        <p class="bar">
          <label>
            Search <input type="search" data-search value={search ?? ''} onInput={find} />
          </label>
        </p>
        <ReportContent report={report} rows={5}>
          {(data: Page) =>
            data.total === 0 ? (
              <Empty title="No roles match the search." />
            ) : (
              <>
                <RoleTable roles={data.items} members={members.data ?? []} again={report.again} />
                <Pages page={page} limit={pageSize} total={data.total} onPage={(to: number) => change({ page: to })} />
              </>
            )
          }
        </ReportContent>
      </Panel>
    </>
  )
}

function RoleTable({ roles, members, again }: { roles: readonly Role[]; members: Members; again: () => void }) {
  const [deleted, setDeleted] = useState<Role | undefined>()
  return (
    <>
      <Table caption="Roles" columns={columnsOf(members, setDeleted)} rows={roles} keyOf={({ id }: Role) => id} />
      {deleted && <Delete role={deleted} onClose={() => setDeleted(undefined)} onDone={again} />}
    </>
  )
}

const columnsOf = (members: Members, setDeleted: (role: Role) => void) => [
  {
    key: 'name',
    title: 'Role',
    show: ({ id, name, system }: Role) => (
      <>
        <span class="clip wide" dir="auto" title={name}>
          {name}
        </span>
        {system && (
          <>
            {' '}
            <span class="badge">built-in</span>
          </>
        )}
        {id === param('role') && (
          <>
            {' '}
            <span class="badge">selected</span>
          </>
        )}
      </>
    ),
  },
  {
    key: 'may',
    title: 'Permissions',
    isLong: true,
    show: ({ id, permissions }: Role) => <Permissions id={id} permissions={permissions} />,
  },
  { key: 'scope', title: 'Cost access', show: ({ reportScope }: Role) => scopeText(reportScope) },
  {
    key: 'members',
    title: 'Members',
    isFigure: true,
    show: ({ id }: Role) => members.filter(({ roleID }) => roleID === id).length,
  },
  {
    key: 'updated',
    title: 'Changed',
    show: ({ updatedAt, system }: Role) =>
      system ? (
        <span class="faint">never</span>
      ) : (
        <span class="nowrap" title={timeText(updatedAt)}>
          {ago(updatedAt)}
        </span>
      ),
  },
  {
    key: 'do',
    title: 'Actions',
    show: (one: Role) =>
      one.system ? (
        <span class="faint">cannot be changed</span>
      ) : (
        <span class="nowrap">
          <button
            type="button"
            class="quiet"
            aria-label={`Edit role ${one.name}`}
            onClick={() => change({ edit: one.id, new: null })}
          >
            Edit
          </button>{' '}
          <button type="button" class="quiet" aria-label={`Delete role ${one.name}`} onClick={() => setDeleted(one)}>
            Delete…
          </button>
        </span>
      ),
  },
]

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

function Delete({ role, onClose, onDone }: { role: Role; onClose: () => void; onDone: () => void }) {
  const doing = useRequest('DELETE /roles/:roleID')
  const params = { roleID: role.id }
  const run = () =>
    void doing.run({ params }, () => {
      onClose()
      onDone()
    })
  return (
    <Confirm title="Delete this role?" action="Delete role" isDanger doing={doing} onConfirm={run} onClose={onClose}>
      <p>
        Role <strong dir="auto">{role.name}</strong> is permanently deleted. You can create a similar one. A role
        assigned to a member cannot be deleted:{' '}
        <a href={hrefOf('members', { search: role.id })}>assign those members another role first</a>.
      </p>
      <p>
        <Copy label="Copy as curl" text={curlOf('DELETE /roles/:roleID', params)} />
      </p>
    </Confirm>
  )
}
