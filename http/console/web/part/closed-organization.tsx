/** In place of every view of an organization that waits for its deletion: until when its owners can restore it. */
import { timeText } from '../day.ts'
import { lookAgain, session } from '../session.ts'
import { ConfirmButton } from './confirm-dialog.tsx'

export function ClosedOrganization() {
  const { orgID, me, tenants } = session.value!
  const name = tenants.find(({ id }) => id === orgID)?.name ?? ''
  if (me.deletesAt === null)
    return (
      <>
        <h1>This organization is closed</h1>
        <p>
          An owner has requested the deletion of <strong dir="auto">{name}</strong>. If this is a mistake, contact one
          of its owners.
        </p>
      </>
    )
  return (
    <>
      <h1>This organization is closed</h1>
      <p>
        <strong dir="auto">{name}</strong> will be deleted after {timeText(me.deletesAt)}, along with all its data.
        Until then, any owner can restore it.
      </p>
      <p class="bar">
        <ConfirmButton
          needs="session"
          label="Restore organization"
          class="main"
          operation="POST /organisations/:orgID/restore"
          params={{ orgID: orgID! }}
          title="Restore the organization?"
          action="Restore"
          onDone={() => void lookAgain()}
        >
          <p>
            Members and tokens regain access within seconds, and schedules, notifications and discovery resume. Events
            that producers sent while it was closed were dropped.
          </p>
        </ConfirmButton>
      </p>
    </>
  )
}
