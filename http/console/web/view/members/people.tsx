/** Members with their roles, and who is invited and has not come yet. */
import { useState } from 'preact/hooks'
import { pluralize } from '../../figure.ts'
import { hrefOf, param } from '../../router.ts'
import { useReport } from '../../report.ts'
import { session } from '../../session.ts'
import { Clip } from '../../part/clip.tsx'
import type { Column } from '../../part/list/column.tsx'
import { ListView } from '../../part/list/list-view.tsx'
import { roleName, useRoles, type Member, type Members, type Role } from './role-options.ts'
import { Invite } from './invite.tsx'
import { GiveRole, Remove } from './member-actions.tsx'

const filters = [{ name: 'search', title: 'Search' }]

export function People() {
  const members = useReport('GET /members')
  const roles = useRoles().data?.items ?? []
  const [changed, setChanged] = useState<Member | undefined>()
  const search = (param('search') ?? '').toLowerCase()
  const found = (wanted: string) => (all: Members) =>
    all.filter(
      ({ status, name, email, roleID }) =>
        status === wanted && `${name} ${email} ${roleID}`.toLowerCase().includes(search),
    )
  const invited = members.data?.filter(({ status }) => status === 'invited').length ?? 0
  const shared = {
    report: members,
    keyOf: ({ userID }: Member) => userID,
    columns: columnsOf(roles, setChanged, members.again),
  }
  return (
    <>
      <Invite roles={roles} onDone={members.again} />
      <ListView
        {...shared}
        title="Members"
        noun="members"
        rows={found('active')}
        filters={filters}
        empty={{ title: 'No members yet.' }}
      />
      <ListView
        {...shared}
        title="Pending invitations"
        noun="invitations"
        caption="Invitations"
        about={members.data && pluralize(invited, 'invitation')}
        rows={found('invited')}
        narrowedBy={invited > 0 ? ['search'] : []}
        bones={2}
        empty={{
          title: 'No pending invitations.',
          children: <p>An invited person gets an email and becomes a member when they join the organization.</p>,
        }}
      />
      {changed && (
        <GiveRole member={changed} roles={roles} onClose={() => setChanged(undefined)} onDone={members.again} />
      )}
    </>
  )
}

const columnsOf = (
  roles: readonly Role[],
  setChanged: (member: Member) => void,
  again: () => void,
): Column<Member>[] => [
  {
    title: 'Member',
    text: ({ name }) => name,
    show: ({ name, userID }) => (
      <>
        <Clip text={name} size="wide" />
        {userID === session.value?.me.user?.id && (
          <span>
            {' '}
            <span class="badge">you</span>
          </span>
        )}
      </>
    ),
    sub: ({ name, email }) => name !== email && email,
  },
  {
    title: 'Role',
    text: ({ roleID }) => roleName(roles, roleID),
    href: ({ roleID }) => hrefOf('members', { tab: 'roles', role: roleID }),
  },
  { title: 'Status', text: ({ status }) => status, badge: ({ status }) => (status === 'active' ? 'good' : '') },
  { title: 'Since', day: ({ createdAt }) => createdAt },
  {
    title: 'Activity',
    isAction: true,
    show: ({ userID }) => (
      <a class="nowrap" href={hrefOf('security', { user_id: userID })}>
        Events
      </a>
    ),
  },
  {
    title: 'Actions',
    isAction: true,
    show: (one) => (
      <span class="nowrap">
        <button
          type="button"
          class="quiet"
          aria-label={`Change the role of ${one.name}`}
          onClick={() => setChanged(one)}
        >
          Role…
        </button>{' '}
        <Remove member={one} role={roleName(roles, one.roleID)} onDone={again} />
      </span>
    ),
  },
]
