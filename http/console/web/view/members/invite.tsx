/** Invites a person by mail. */
import { Form } from '../../part/form/form.tsx'
import { optionsOf, type Role } from './role-options.ts'

const startDraft = () => ({ email: '', roleID: 'viewer' })

export const Invite = ({ roles, onDone }: { roles: readonly Role[]; onDone: () => void }) => (
  <Form
    noun="invitation"
    title="Invite a member"
    action="Invite"
    isStanding
    begun={startDraft}
    fields={() => [
      { name: 'email', label: 'Email', kind: 'email', isRequired: true },
      {
        name: 'roleID',
        label: 'Role',
        kind: 'choice',
        options: roles.length > 0 ? optionsOf(roles) : [{ value: 'viewer', title: 'viewer' }],
      },
    ]}
    body={({ email, roleID }) => ({ email: email.trim(), roleID })}
    create="POST /members"
    needs={{ create: 'admin' }}
    note="They get an email and become a member when they sign in and join the organization. You can withdraw the invitation."
    after={(done) =>
      done && (
        <span class="note good" role="status">
          {done.email} has been invited.
        </span>
      )
    }
    onDone={onDone}
  />
)
