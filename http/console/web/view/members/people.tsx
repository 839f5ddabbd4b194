/** Members with their roles, and who is invited and has not come yet. */
import { useState } from 'preact/hooks'
import { dayText, timeText } from '../../day.ts'
import { pluralize } from '../../figure.ts'
import { change, hrefOf, param } from '../../router.ts'
import { useReport } from '../../report.ts'
import { session } from '../../session.ts'
import { Copies } from '../../part/copy.tsx'
import { Panel } from '../../part/panel.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import { Table } from '../../part/table.tsx'
import { roleName, useRoles, type Member, type Members, type Role } from './role-options.ts'
import { Invite } from './invite.tsx'
import { GiveRole, Remove } from './member-actions.tsx'

export function People() {
  const members = useReport('GET /members')
  const roles = useRoles()
  const search = param('search') ?? ''
  const find = (event: Event) => change({ search: (event.target as HTMLInputElement).value || null }, { replace: true })
  const isFound = ({ name, email, roleID }: Member) =>
    search === '' || `${name} ${email} ${roleID}`.toLowerCase().includes(search.toLowerCase())
  return (
    <>
      <Invite roles={roles.data?.items ?? []} onDone={members.again} />
      <Panel title="Members" tools={<Copies report={members} />}>
        <p class="bar">
          <label>
            Search <input type="search" data-search value={search} onInput={find} />
          </label>
        </p>
        <ReportContent report={members} rows={5}>
          {(data: Members) => (
            <MemberTable
              members={data.filter((one) => one.status === 'active' && isFound(one))}
              roles={roles.data?.items ?? []}
              again={members.again}
            />
          )}
        </ReportContent>
      </Panel>
      <Panel
        title="Pending invitations"
        about={members.data && pluralize(filterInvited(members.data).length, 'invitation')}
      >
        <ReportContent report={members} rows={2}>
          {(data: Members) =>
            filterInvited(data).length === 0 ? (
              <Empty title="No pending invitations.">
                <p>An invited person gets an email and becomes a member when they join the organization.</p>
              </Empty>
            ) : (
              <MemberTable
                members={filterInvited(data).filter(isFound)}
                roles={roles.data?.items ?? []}
                again={members.again}
              />
            )
          }
        </ReportContent>
      </Panel>
    </>
  )
}

const filterInvited = (members: Members): Members => members.filter(({ status }) => status === 'invited')

interface MemberTableProps {
  members: Members
  roles: readonly Role[]
  again: () => void
}

function MemberTable({ members, roles, again }: MemberTableProps) {
  const [changed, setChanged] = useState<Member | undefined>()
  const [removed, setRemoved] = useState<Member | undefined>()
  if (members.length === 0) return <Empty title="No members match the search." />
  const isInvited = members[0]!.status === 'invited'
  return (
    <>
      <Table
        caption={isInvited ? 'Invitations' : 'Members'}
        columns={columnsOf(roles, setChanged, setRemoved)}
        rows={members}
        keyOf={({ userID }: Member) => userID}
      />
      {changed && <GiveRole member={changed} roles={roles} onClose={() => setChanged(undefined)} onDone={again} />}
      {removed && (
        <Remove
          member={removed}
          role={roleName(roles, removed.roleID)}
          onClose={() => setRemoved(undefined)}
          onDone={again}
        />
      )}
    </>
  )
}

const columnsOf = (
  roles: readonly Role[],
  setChanged: (member: Member) => void,
  setRemoved: (member: Member) => void,
) => [
  {
    key: 'name',
    title: 'Member',
    by: ({ name }: Member) => name.toLowerCase(),
    show: ({ name, email, userID }: Member) => (
      <>
        <span class="clip wide" dir="auto" title={name}>
          {name}
        </span>
        {userID === session.value?.me.user?.id && (
          <>
            {' '}
            <span class="badge">you</span>
          </>
        )}
        {name !== email && <span class="sub faint">{email}</span>}
      </>
    ),
  },
  {
    key: 'role',
    title: 'Role',
    by: ({ roleID }: Member) => roleName(roles, roleID),
    show: ({ roleID }: Member) => (
      <a
        class="clip"
        dir="auto"
        title={roleName(roles, roleID)}
        href={hrefOf('members', { tab: 'roles', role: roleID })}
      >
        {roleName(roles, roleID)}
      </a>
    ),
  },
  {
    key: 'status',
    title: 'Status',
    show: ({ status }: Member) => <span class={`badge ${status === 'active' ? 'good' : ''}`}>{status}</span>,
  },
  {
    key: 'since',
    title: 'Since',
    by: ({ createdAt }: Member) => createdAt,
    show: ({ createdAt }: Member) => (
      <span class="nowrap" title={timeText(createdAt)}>
        {dayText(createdAt)}
      </span>
    ),
  },
  {
    key: 'did',
    title: 'Activity',
    show: ({ userID }: Member) => (
      <a class="nowrap" href={hrefOf('security', { user_id: userID })}>
        Events
      </a>
    ),
  },
  {
    key: 'do',
    title: 'Actions',
    show: (one: Member) => (
      <span class="nowrap">
        <button
          type="button"
          class="quiet"
          aria-label={`Change the role of ${one.name}`}
          onClick={() => setChanged(one)}
        >
          Role…
        </button>{' '}
        <button
          type="button"
          class="quiet"
          aria-label={`${one.status === 'active' ? 'Remove' : 'Withdraw the invitation for'} ${one.name}`}
          onClick={() => setRemoved(one)}
        >
          {one.status === 'active' ? 'Remove…' : 'Withdraw…'}
        </button>
      </span>
    ),
  },
]
