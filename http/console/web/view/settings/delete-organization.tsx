/** Closes the organization, to be deleted after a grace period; for its owners. */
import { lookAgain, session } from '../../session.ts'
import { Form } from '../../part/form/form.tsx'

export function DeleteOrganization() {
  const { orgID, me, tenants } = session.value!
  if (me.role !== 'owner') return null
  const known = tenants.find(({ id }) => id === orgID)?.name ?? ''
  return (
    <Form
      noun="deletion of the organization"
      title="Delete organization"
      action="Delete organization"
      isStanding
      isDanger
      begun={() => ({ name: '' })}
      fields={() => [
        {
          show: () => (
            <p>
              The organization is closed immediately. After seven days, all its data is deleted: bills, resources,
              settings, members and their tokens. Until then, an owner can restore it.
            </p>
          ),
        },
        { name: 'name', label: 'Enter its name to confirm', help: known },
      ]}
      isDisabled={({ name }) => name !== known}
      create="DELETE /organisations/:orgID"
      params={{ orgID: orgID! }}
      needs={{ create: 'admin' }}
      confirm={() => ({
        title: 'Delete organization?',
        action: 'Delete',
        children: (
          <p>
            <strong dir="auto">{known}</strong> is closed for everyone now and deleted after seven days.
          </p>
        ),
      })}
      onDone={() => void lookAgain()}
    />
  )
}
