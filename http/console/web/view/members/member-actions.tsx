/** Gives a member another role, or takes them out: each said first, with whether it can be undone. */
import { curlOf } from '../../address.ts'
import { ask } from '../../api.ts'
import { useEditing } from '../../editing.ts'
import { useRequest } from '../../report.ts'
import { lookAgain, session } from '../../session.ts'
import { ConfirmButton } from '../../part/confirm-dialog.tsx'
import { Confirm } from '../../part/confirm.tsx'
import { Copy } from '../../part/copy.tsx'
import { ChoiceField } from '../../part/form.tsx'
import { ConcurrentEdits } from '../../part/concurrent-edits.tsx'
import { optionsOf, roleName, type Member, type Role } from './role-options.ts'

interface GiveRoleProps {
  member: Member
  roles: readonly Role[]
  onClose: () => void
  onDone: () => void
}

const isSelf = ({ userID }: Member): boolean => userID === session.value?.me.user?.id

const startDraft = (member: Member | undefined) => ({ roleID: member!.roleID })

export function GiveRole({ member, roles, onClose, onDone }: GiveRoleProps) {
  const look = async () => (await ask('GET /members')).data.find(({ userID }) => userID === member.userID)
  const editing = useEditing({ thing: member, begun: startDraft, look })
  const { roleID } = editing.draft
  const doing = useRequest('PATCH /members/:userID')
  const params = { userID: member.userID }
  const name = (id: unknown) => roleName(roles, String(id))
  const named = {
    ...editing,
    meanwhile: editing.meanwhile.map(({ before, theirs, both, ...one }) => ({
      ...one,
      before: name(before),
      theirs: name(theirs),
      ...(both && { both: { ...both, mine: name(both.mine) } }),
    })),
  }
  const give = () =>
    void editing.settle(
      () =>
        void doing.run({ params, body: { roleID } }, () => {
          onClose()
          onDone()
          if (isSelf(member)) void lookAgain()
        }),
    )
  return (
    <Confirm title="Change role?" action="Change role" doing={doing} onConfirm={give} onClose={onClose}>
      <p>
        <strong dir="auto">{member.name}</strong> is <strong dir="auto">{roleName(roles, editing.base.roleID)}</strong>{' '}
        now. The new role applies from their next request, in all open sessions. You can change it back.
      </p>
      <ChoiceField
        label="Role"
        value={roleID}
        onValue={(value: string) => editing.set({ roleID: value })}
        options={optionsOf(roles)}
      />
      <ConcurrentEdits editing={named} labels={{ roleID: 'Role' }} />
      {isSelf(member) && <p class="note">This is you: with another role, you may not be able to change it back.</p>}
      <p>
        <Copy label="Copy as curl" text={curlOf('PATCH /members/:userID', params, {}, { roleID })} />
      </p>
    </Confirm>
  )
}

interface RemoveProps {
  member: Member
  role: string
  onDone: () => void
}

export function Remove({ member, role, onDone }: RemoveProps) {
  const isInvited = member.status === 'invited'
  return (
    <ConfirmButton
      operation="DELETE /members/:userID"
      params={{ userID: member.userID }}
      needs="admin"
      class="quiet"
      isDanger
      label={isInvited ? 'Withdraw…' : 'Remove…'}
      name={`${isInvited ? 'Withdraw the invitation for' : 'Remove'} ${member.name}`}
      title={isInvited ? 'Withdraw the invitation?' : 'Remove this member?'}
      action={isInvited ? 'Withdraw' : 'Remove'}
      onDone={onDone}
    >
      {isInvited ? (
        <p>
          <strong>{member.email}</strong> can no longer join the organization. You can invite them again.
        </p>
      ) : (
        <p>
          <strong dir="auto">{member.name}</strong> ({member.email}, <span dir="auto">{role}</span>) loses access to the
          organization immediately, including open sessions and all tokens for it. What they created remains. You can
          invite them again, but their tokens are permanently revoked.
        </p>
      )}
      {isSelf(member) && <p class="note">This is you.</p>}
    </ConfirmButton>
  )
}
