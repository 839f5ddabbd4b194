/** Another password. */
import { Form } from '../../part/form/form.tsx'
import type { FormField } from '../../part/form/field.tsx'

const startDraft = () => ({ currentPassword: '', newPassword: '' })

const fields: FormField<ReturnType<typeof startDraft>>[] = [
  {
    name: 'currentPassword',
    label: 'Current password',
    kind: 'password',
    autoComplete: 'current-password',
    isRequired: true,
  },
  { name: 'newPassword', label: 'New password', kind: 'password', autoComplete: 'new-password', isRequired: true },
]

export const Password = () => (
  <Form
    noun="password"
    title="Change password"
    action="Change password"
    isStanding
    begun={startDraft}
    fields={() => fields}
    create="POST /auth/password/change"
    needs={{ create: 'session' }}
    note="Changing it ends all your other sessions; your tokens keep working. If you sign in with a link, Google, GitHub or your organization’s provider, you have no password here."
    after={(done) =>
      done && (
        <span class="note good" role="status">
          Password changed. Your other sessions have ended.
        </span>
      )
    }
  />
)
